"""What every change of a product brings with it: the search finds it as it is now, and rooms above are told."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.events import ProductChanged
from backend.catalog.models import Product
from backend.catalog.search import index_products
from backend.database import locked
from backend.errors import NotFound
from backend.events import publish
from backend.words import fold


async def products_changed(session: AsyncSession, product_ids: Iterable[str]) -> None:
    """These products are not what they were."""
    ids = sorted(set(product_ids))
    if not ids:
        return
    await session.flush()
    await index_products(session, ids)
    for product_id in ids:
        await publish(session, ProductChanged(product_id))


async def lock_product(session: AsyncSession, product_id: str) -> Product:
    """The product, locked for a change.

    Raises:
        NotFound: there is none, or it was deleted.
    """
    (product,) = await lock_products(session, [product_id]) or (None,)
    if product is None:
        raise NotFound(f'Product with id "{product_id}" not found')
    return product


async def lock_products(session: AsyncSession, product_ids: Iterable[str]) -> list[Product]:
    """Those of the products that there are, locked in the order of their ids: two changes at once never deadlock."""
    query = select(Product).where(Product.id.in_(set(product_ids)), Product.deleted_at.is_(None))
    return list((await session.execute(locked(query.order_by(Product.id)))).scalars())


def handle_from(title: str) -> str:
    """A handle out of a title: lower case, without accents, hyphens between the words."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in fold(title))
    return "-".join(letters.split())[:200]
