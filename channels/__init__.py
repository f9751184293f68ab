"""Chat platforms and our messages; this package knows nothing of sessions or models."""
