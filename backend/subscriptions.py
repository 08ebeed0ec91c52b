"""Every module that listens to events, imported: whoever changes the shop imports this and is heard by all of them."""

import backend.attention.service
import backend.catalog.stock_watch
import backend.checkout.completion
import backend.checkout.resolving
import backend.mail.record
import backend.outbox.record  # noqa: F401
