"""Services and routes for staff and the Admin API."""
