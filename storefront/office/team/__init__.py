"""Equipo: the staff members, and the staff member's own account."""
