"""Electronic invoices and credit notes: one for each order that is paid and for each refund that is booked.

A document gets its number in the database before its provider hears of it. A provider is asked by that number before it
is told it again, so that no document is made twice. Without a provider in the office's settings there are none.
"""
