"""Notices to staff: paid orders, requests of customers, low stock, payments to decide on, and the daily summary.

An event is stored as a notice in its own transaction, with a job. The job puts all unsent notices of the kind into
a batch, and requests a mail of the batch to each staff member who has the right and has not turned the kind off. So
no notice is lost or sent twice, and many events on a busy day need only a few mails.
"""
