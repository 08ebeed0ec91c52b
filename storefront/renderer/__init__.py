"""The Node processes that render pages: one process (`process.py`), and what keeps a number of them running."""
