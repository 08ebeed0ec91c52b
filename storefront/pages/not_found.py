"""The page of unknown URLs (spec: Errors, unknown storefront route)."""

import reflex as rx

from backend.core.texts import _
from storefront.components.frame import page_frame
from storefront.components.placeholders import not_found_state
from storefront.components.product_suggestions import suggested_products
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams

TITLE = _("Página no encontrada")
DESCRIPTION = _("La página que buscas no existe o cambió de lugar.")


async def load(_params: PageParams) -> PageData[None]:
    """Return the meta of a document with status 404."""
    return PageData(None, DocumentMeta(title=TITLE, status=404, robots=NOINDEX))


def not_found_message() -> rx.Component:
    """Build the message that the page does not exist, with links."""
    return not_found_state(_("Por aquí no hay nada"), DESCRIPTION)


def page() -> rx.Component:
    """Build the whole page: the message and some products."""
    return page_frame(not_found_message(), suggested_products())
