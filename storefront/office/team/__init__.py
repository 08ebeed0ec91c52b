"""Equipo: the staff members, and one's own account."""
