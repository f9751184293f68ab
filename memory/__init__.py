"""What is remembered; this package knows nothing of platforms or of a model's wire."""
