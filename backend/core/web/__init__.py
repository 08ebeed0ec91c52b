"""Calls to external services and parsing of their answers; e-mail addresses, names and passwords that people type."""
