"""Conversations: what a session is, who may touch it, where it is kept."""
