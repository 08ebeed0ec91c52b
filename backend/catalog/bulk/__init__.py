"""Bulk changes of many products: previewed first, run in batches by a job, and undoable.

Each product is changed separately: if one is refused, the others still change. The old value of each change is
stored, so that undoing restores it unless it was changed again in the meantime.
"""
