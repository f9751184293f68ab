"""What of a session the model sees; pure functions on a copy."""
