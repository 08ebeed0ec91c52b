"""Edits of paid orders before they are packed: other units, the new price, and the difference of the money."""
