"""What a browser gets over HTTP when it asks for a page."""
