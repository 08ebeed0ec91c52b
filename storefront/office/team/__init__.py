"""Team screens (Equipo): the list of staff members, and each staff member's own account."""
