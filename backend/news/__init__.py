"""Change notifications for open pages."""
