"""Accounts, sign-in, sessions and passwords of customers."""
