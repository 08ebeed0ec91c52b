"""A sitemap that is too long for one file is divided without losing entries."""

import re
from xml.etree import ElementTree

from backend.app import Shop
from storefront.documents.sitemap import sitemap, sitemap_page
from tests.store_defaults import add_product, set_up_defaults

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def parse_addresses(text: str | None) -> list[str]:
    assert text is not None
    return [entry.text or "" for entry in ElementTree.fromstring(text).iter(LOC)]


async def test_short_sitemap_is_one_file(toyshop: Shop) -> None:
    assert len(parse_addresses(await sitemap())) == 2 + 3 + 7 + 3


async def test_sitemap_lists_each_age_and_brand_for_sale_once_and_the_gift_finder(
    toyshop: Shop,
) -> None:
    defaults = await set_up_defaults(toyshop.database, toyshop.settings)
    async with toyshop.database.transaction() as session:
        for number, brand in enumerate(("Ñandú", "Nandu", "Nido Andino")):
            await add_product(session, defaults, f"pato-{number}", brand=brand, age_range="12+")
        await add_product(session, defaults, "oculto", brand="Secreta", age_range="0-2", status="draft")
    own = [
        address.removeprefix("https://trompo.example")
        for address in parse_addresses(await sitemap())
        if re.search("/(age|brand|gift)", address)
    ]
    assert own == ["/gift", "/age/12+", "/brand/nandu", "/brand/nido-andino"]


async def test_long_sitemap_is_an_index_of_files(toyshop: Shop) -> None:
    files = parse_addresses(await sitemap(max_urls=2))
    assert files == [f"https://trompo.example/sitemap-{number}.xml" for number in (0, 1, 2)]
    numbers = [int(re.findall(r"\d+", file)[0]) for file in files]
    divided = [
        address for number in numbers for address in parse_addresses(await sitemap_page(number, max_urls=2))
    ]
    assert sorted(divided) == sorted(parse_addresses(await sitemap()))


async def test_file_after_the_last_one_is_not_found(toyshop: Shop) -> None:
    assert await sitemap_page(3, max_urls=2) is None
