"""The page for addresses that lead nowhere (spec: Errors, unknown storefront route)."""

import reflex as rx

from backend.core.texts import _
from storefront.components.frame import framed
from storefront.components.placeholders import not_found
from storefront.components.product_suggestions import offered_toys
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams

TITLE = _("Página no encontrada")
DESCRIPTION = _("La página que buscas no existe o cambió de lugar.")


async def load(_params: PageParams) -> PageData[None]:
    """There is nothing to show, and the document says so."""
    return PageData(None, DocumentMeta(title=TITLE, status=404, robots=NOINDEX))


def words() -> rx.Component:
    """That nothing is here, the ways on, and some toys."""
    return rx.fragment(not_found(_("Por aquí no hay juguetes"), DESCRIPTION), offered_toys())


def page() -> rx.Component:
    """The whole page."""
    return framed(words())
