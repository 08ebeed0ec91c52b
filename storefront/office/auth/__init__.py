"""Signing in to the office, and out of it."""
