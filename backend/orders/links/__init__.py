"""Links that show one order without an account."""
