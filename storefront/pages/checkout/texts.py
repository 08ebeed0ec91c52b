"""Texts that several parts of the checkout share."""

from backend.core.texts import _

PRICING = _("Calculando el envío…")
