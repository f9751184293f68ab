"""What Mneme serves over HTTP: the web chat, the API, its health, and the operator's operations."""
