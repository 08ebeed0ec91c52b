"""Price lists: temporarily lower prices of some variants.

They are the platform's price lists of the type `sale`. A list stores a fixed price for each of its variants, so its
prices are exactly those that staff reviewed when they saved it. When the list starts, a job lowers the prices, and
the previous prices are struck through. When the list ends, the job restores the previous prices.
"""
