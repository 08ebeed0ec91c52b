"""The checkout's document. It contains no cart, because only the browser knows its cart."""

from backend.core.texts import _
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.page_loader import PageData, PageParams

TITLE = _("Pagar")
META = DocumentMeta(title=TITLE, robots=NOINDEX)


async def load(_params: PageParams) -> PageData[str]:
    """Return only the status and head of the document, because the browser has not sent its cart yet."""
    return PageData("", META)
