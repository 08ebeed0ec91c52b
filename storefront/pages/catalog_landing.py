"""The list that a URL selects by itself: an age, a brand or a collection; and the redirects of lists that moved."""

from dataclasses import dataclass
from urllib.parse import unquote

from backend.app import current_shop
from backend.catalog.handles import brand_handle
from backend.catalog.models import Category, Collection
from backend.catalog.redirects.group_addresses import find_moved_group
from backend.catalog.schemas.cell_words import AGE_RANGES
from backend.catalog.storefront.collection_views import CollectionView, find_visible_collection
from backend.catalog.storefront.product_list import read_age_facets
from storefront.links import AGE, BRAND, COLLECTION, catalog_path
from storefront.pages.page_loader import PageParams
from storefront.state.search import get_search_places


@dataclass(frozen=True, slots=True)
class LandingList:
    """The list that a URL such as `/age/3-5`, `/brand/…` or `/collection/…` selects; empty for other URLs.

    Attributes:
        age: an age range.
        brand: the handle of a brand.
        brands: all names of that brand. Names that differ only in accents, case and punctuation have the same
            handle.
        collection: the handle of a collection.
        collection_view: the collection; None if shoppers do not see it.
        is_unknown: True if no product for sale has this age or brand, or shoppers do not see the collection.
    """

    age: str = ""
    brand: str = ""
    brands: tuple[str, ...] = ()
    collection: str = ""
    collection_view: CollectionView | None = None
    is_unknown: bool = False

    @property
    def has_own_path(self) -> bool:
        """True if the list is selected by the URL's path, not by its query."""
        return bool(self.age or self.brand or self.collection)


async def find_landing_list(params: PageParams) -> LandingList:
    """Return the age, brand or collection that the URL selects."""
    if params.decoded_path.startswith(f"{BRAND}/"):
        handle = brand_handle(params.last_part)
        brands = tuple([place.name for place in (await get_search_places()).brands if place.handle == handle])
        return LandingList(brand=handle, brands=brands, is_unknown=not brands)
    if params.decoded_path.startswith(f"{COLLECTION}/"):
        handle = params.last_part
        async with current_shop().database.read() as session:
            view = await find_visible_collection(session, handle)
        return LandingList(collection=handle, collection_view=view, is_unknown=view is None)
    # old URLs have the age in the query
    age = params.last_part if params.decoded_path.startswith(f"{AGE}/") else params.get_parameter("age")
    if not age or age in AGE_RANGES:
        return LandingList(age=age)
    async with current_shop().database.read() as session:
        return LandingList(
            age=age, is_unknown=age not in {facet.value for facet in await read_age_facets(session)}
        )


async def find_moved_path(params: PageParams, landing: LandingList) -> str:
    """Return the current path of the category or collection that had the URL's handle; empty if none had it."""
    async with current_shop().database.read() as session:
        if landing.collection:
            handle = await find_moved_group(session, Collection, landing.collection)
            return catalog_path(collection=handle) if handle else ""
        handle = await find_moved_group(session, Category, params.get_parameter("category"))
        return catalog_path(handle) if handle else ""


def has_moved(params: PageParams, landing: LandingList) -> bool:
    """Return True if the URL names an age or a brand whose list now has another URL."""
    return bool(landing.age or landing.brand) and params.decoded_path != unquote(
        catalog_path(age=landing.age, brand=landing.brand)
    )
