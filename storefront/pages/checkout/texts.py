"""What several of the checkout's parts say."""

from backend.texts import _

PRICING = _("Calculando el envío…")
