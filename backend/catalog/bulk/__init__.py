"""Bulk changes of many products: previewed first, run in batches by a job, and undoable.

Each product is changed separately: if one is refused, the others still change. The old value of each change is
stored. Undoing restores it, unless the value was changed again in the meantime.
"""
