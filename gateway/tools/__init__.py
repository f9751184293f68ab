"""What the model may do besides talking."""
