"""Price lists: prices of some variants that stand from one moment to another, lower than before, and end by themselves.

They are the platform's price lists of the type `sale`. Each says what every one of its variants costs while it lasts:
what was seen when it was saved is what comes. At its beginning a job lowers the prices, with the price of until then as
the one that is struck through; at its end the job puts them back.
"""
