"""Calls to outside services and what comes back; addresses, names and passwords that people type."""
