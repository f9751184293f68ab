"""The models that answer, behind one protocol."""
