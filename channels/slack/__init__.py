"""Slack, over Socket Mode or the Events API."""
