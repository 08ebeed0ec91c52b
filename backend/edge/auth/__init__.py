"""Tokens, cookies, devices and keys of callers."""
