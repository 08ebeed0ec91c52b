"""Changing many products at once: seen before it is done, done in batches by a job, and undone.

Each product is changed for itself: what one refuses stops no other. What was changed is kept, value by value, so that
it can be put back where nobody has changed it since.
"""
