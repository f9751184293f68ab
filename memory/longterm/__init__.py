"""Long-term memory as Markdown files that a person can open and edit."""
