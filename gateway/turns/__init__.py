"""What happens between a message and its reply."""
