"""What several of the checkout's parts say."""

from backend.core.texts import _

PRICING = _("Calculando el envío…")
