"""Describe the confirmed changes of an edit in sentences, for the customer and for staff."""

from backend.catalog.models import variant_name
from backend.core.db.tables import JsonObject
from backend.core.money import format_cop
from backend.core.texts import _


def describe_change(change: JsonObject) -> str:
    """Return a sentence about one of `OrderEdit.changes`."""
    if "line_id" not in change:
        return _describe_shipping(change)
    variant = variant_name(str(change.get("variant_title") or ""))
    title = f"{change['title']} ({variant})" if variant else str(change["title"])
    before, after = int(change["before"]), int(change["after"])
    if not before:
        return _("Agregamos {n} × {toy}").format(n=after, toy=title)
    if not after:
        return _("Quitamos {n} × {toy}").format(n=before, toy=title)
    return _("{toy}: {n} en vez de {before}").format(toy=title, n=after, before=before)


def _describe_shipping(change: JsonObject) -> str:
    before, after, price = str(change["before"]), str(change["after"]), format_cop(int(change["amount"]))
    if not before or before == after:
        return _("Envío: {name}, {price}").format(name=after, price=price)
    return _("Envío: {name}, {price}, en vez de {before}").format(name=after, price=price, before=before)
