"""Shared parts of the HTTP API: error responses, dependencies, authentication, queries, limits."""
