"""What may be believed: claims with evidence, checked by code; pure functions."""
