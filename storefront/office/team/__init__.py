"""Who works here, and one's own account."""
