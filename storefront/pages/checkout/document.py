"""What the checkout's document says. It knows no cart: only the browser does."""

from backend.core.texts import _
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams

TITLE = _("Pagar")
META = DocumentMeta(title=TITLE, robots=NOINDEX)


async def load(_params: PageParams) -> PageData[str]:
    """Nothing to show before the browser tells which cart is its own."""
    return PageData("", META)
