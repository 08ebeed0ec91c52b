"""Electronic invoices and credit notes: one for each paid order and for each booked refund.

A document gets its number in the database before it is sent to its provider. Before it is sent again, the provider
is asked for that number, so that no document is issued twice. Without a provider in the shop's settings there are
no documents.
"""
