"""Electronic invoices and credit notes: one for each paid order and for each booked refund.

A document gets its number in the database before it is sent to its provider. Before it is sent a second time, the
shop asks the provider if it already has a document with that number, so that no document is issued twice. If the
shop's settings name no provider, no documents are created.
"""
