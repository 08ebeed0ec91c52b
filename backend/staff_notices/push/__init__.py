"""Web Push: notices on the telephone or computer of a staff member, also while the office is closed."""
