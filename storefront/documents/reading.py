"""What a document is made of: read once for each request, and always live."""

import logging
from asyncio import gather
from dataclasses import dataclass
from typing import Any

from backend.app import current_shop
from backend.catalog.categories import category_tree
from backend.catalog.views import CategoryNode
from backend.errors import InvalidData, NotFound
from storefront.documents.addresses import NOT_FOUND, Address
from storefront.documents.seed import seed_of
from storefront.facts import NOINDEX, DocumentFacts
from storefront.pages.loading import PageData, PageParams
from storefront.pages.routes import Page

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read for a document: the page, the address it is drawn for, its facts and its seed."""

    page: Page
    url: str
    facts: DocumentFacts
    seed: bytes


async def read_page(page: Page, address: Address) -> Reading:
    """What the page shows at this address.

    Raises:
        Exception: the page's loader failed.
    """
    try:
        data, departments = await gather(page.load(PageParams.from_url(address.url)), _departments())
    except (
        NotFound,
        InvalidData,
    ) as error:  # an address no page of ours leads to, such as one that holds a NUL
        log.info("not found: %s", error.message)
        return await read_nowhere()
    facts = data.facts if page.is_public else _for_everybody(page, data.facts)
    return Reading(page, address.url, facts, seed_of(page, PageData(data.content, facts), departments))


async def read_nowhere() -> Reading:
    """What an address shows that leads nowhere. All of them get the same document."""
    data, departments = await gather(NOT_FOUND.load(PageParams("/404")), _departments())
    return Reading(NOT_FOUND, "/404", data.facts, seed_of(NOT_FOUND, data, departments))


async def _departments() -> list[CategoryNode]:
    async with current_shop().database.read() as session:
        return await category_tree(session)


def _for_everybody(page: Page, facts: DocumentFacts) -> DocumentFacts:
    """The facts without what belongs to one shopper: the status, and the title that the page has at first."""
    first: Any = page.state.get_fields()["facts"].default_value() if page.state else facts
    return DocumentFacts(title=page.title or first.title, status=facts.status, robots=NOINDEX)
