"""The kinds of things a person must settle."""

from enum import StrEnum


class AttentionKind(StrEnum):
    """What happened."""

    AMOUNT_DIFFERS = "amount_differs"
    """The bank approved another amount or currency than was asked for."""
    APPROVED_LATE = "approved_late"
    """The bank approved a payment after it had said that it would not."""
    PAID_TWICE = "paid_twice"
    """Two payments for one purchase were approved: one is to be given back."""
    PAID_WITHOUT_ORDER = "paid_without_order"
    """Money came, and no order can be made of what was paid for."""
    PAYMENT_UNRESOLVED = "payment_unresolved"
    """The gateway has not said for 48 hours how a payment ended."""
    STOCK_SHORT = "stock_short"
    """An order is paid and some of its units are gone."""
    LABEL_IN_DOUBT = "label_in_doubt"
    """The carrier was asked for a label, and nobody knows whether it made one."""
    LABEL_TOO_EXPENSIVE = "label_too_expensive"
    """The label costs much more than the buyer paid for shipping."""
    LABEL_CANCELED = "label_canceled"
    """The carrier cancelled a label that the shop did not cancel."""
    NOT_DELIVERED = "not_delivered"
    """The carrier has not delivered a parcel for two months."""
    JOB_FAILED = "job_failed"
    """A job kept failing and was given up."""
