"""The checkout: one page from the contact to the bank."""
