"""Tokens, cookies, devices and keys of who calls."""
