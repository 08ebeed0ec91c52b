"""Edits of paid orders that are not packed yet: new units, the new total, and the difference to pay or give back."""
