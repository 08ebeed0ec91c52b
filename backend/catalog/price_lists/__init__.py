"""Price lists: temporarily lower prices of some variants.

They are the platform's price lists of the type `sale`. A list stores a fixed price for each of its variants, so the
prices in effect are those that were reviewed when it was saved. At its start a job lowers the prices, and the
previous price becomes the struck-through one; at its end the job restores the prices.
"""
