"""Chat in a browser, over a WebSocket."""
