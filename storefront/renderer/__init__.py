"""The Node processes that render pages: one process (`process.py`) and the supervisor that keeps them running."""
