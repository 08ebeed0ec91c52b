"""A shop with two products and two categories, and a function that stores redirects."""

from dataclasses import dataclass

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.models import Category, Product
from backend.catalog.redirects.addresses import parse_address
from backend.catalog.redirects.lookup import find_former_address
from backend.catalog.redirects.service import create_redirect
from backend.catalog.redirects.targets import RedirectTarget
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults, add_product


@dataclass
class FormerShop:
    """A shop that redirects the addresses of the owner's former shop."""

    shop: Shop
    products: dict[str, RedirectTarget]
    categories: dict[str, RedirectTarget]

    async def redirect(self, address: str, target: RedirectTarget) -> str:
        """Store a redirect and return its id."""
        async with self.shop.database.transaction() as session:
            return (await create_redirect(session, COMMAND_LINE, parse_address(address), target)).id

    async def visit(self, address: str, *, has_page: bool = False) -> str:
        """Return the page to which an address leads; empty if none, `no address` if the address is invalid."""
        path, _mark, query = address.partition("?")
        found = await find_former_address(
            self.shop.database, self.shop.catalog_version, path.encode(), query.encode(), has_page=has_page
        )
        return found.page if found is not None else "no address"


@pytest.fixture
async def former(shop: Shop, shop_defaults: Defaults) -> FormerShop:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "balero", title="Balero de madera")
        await add_product(session, shop_defaults, "yoyo", title="Yoyo")
        toys = Category(name="Juguetes", handle="juguetes")
        session.add(toys)
        await session.flush()
        session.add(Category(name="De madera", handle="de-madera", parent_id=toys.id))
        await session.flush()
        products = (await session.execute(select(Product.handle, Product.id))).all()
        categories = (await session.execute(select(Category.handle, Category.id))).all()
    return FormerShop(
        shop,
        {handle: RedirectTarget(product_id) for handle, product_id in products},
        {handle: RedirectTarget(category_id=category_id) for handle, category_id in categories},
    )
