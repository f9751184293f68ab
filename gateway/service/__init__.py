"""What any daemon needs, whatever it does."""
