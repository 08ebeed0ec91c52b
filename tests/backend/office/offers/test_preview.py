"""Preview of an offer: only the displayed products are read, for any number of products."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from backend.app import Shop
from backend.catalog.models import Category, ProductCategory, Variant
from backend.office.offers import preview as module
from backend.office.offers.form import OfferForm
from backend.office.offers.preview import preview_offer
from backend.staff.rights import Actor, Role
from tests.store_defaults import Defaults, add_product

LINA = Actor("user_lina", Role.SHOP)


@pytest.fixture
def read() -> Iterator[list[str]]:
    """Yield a list to which the id of a variant is added each time that the variant is loaded."""
    found: list[str] = []

    def note(variant: Variant, _context: object) -> None:
        found.append(variant.id)

    event.listen(Variant, "load", note)
    yield found
    event.remove(Variant, "load", note)


@pytest.fixture
async def wooden(shop: Shop, shop_defaults: Defaults, monkeypatch: pytest.MonkeyPatch) -> str:
    """Create a category with three products in it or below it, and other products; limit the preview to two rows."""
    monkeypatch.setattr(module, "MAX_PREVIEW_ROWS", 2)
    async with shop.database.transaction() as session:
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        await add_product(session, shop_defaults, "pelota", price=90_000)
        await add_product(session, shop_defaults, "oculto", price=95_000, status="draft")
        for number in range(5):
            variant_id = await add_product(
                session, shop_defaults, f"trompo-{number}", price=10_000 + 1_000 * number
            )
            product_id = (await session.get_one(Variant, variant_id)).product_id
            if number > 1:
                place = below if number < 4 else above
                session.add(ProductCategory(product_id=product_id, category_id=place.id))
        return above.id


@pytest.mark.parametrize(
    ("target", "expected"),
    [("categories", (["Trompo 4", "Trompo 3"], 1)), ("order", (["Pelota", "Trompo 4"], 4))],
)
async def test_preview_reads_only_the_shown_products(
    shop: Shop, wooden: str, read: list[str], target: str, expected: tuple[list[str], int]
) -> None:
    form = OfferForm(code="Trompos", value="10", target=target, categories=[wooden])
    async with shop.database.read() as session:
        found = await preview_offer(session, LINA, form)
    assert ([row.title for row in found.rows], found.more) == expected
    assert len(read) == 2
    assert ("Hoy son 3 productos a la venta." in found.words) is (target == "categories")
