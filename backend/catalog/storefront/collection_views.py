"""Collections that shoppers see, as pages show them."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Collection
from backend.catalog.storefront.product_cards import uploaded_picture_view
from backend.catalog.views import PictureView
from backend.core.web.html_text import to_plain_text


@dataclass(frozen=True, slots=True)
class CollectionView:
    """The head of a collection's page. `picture` is None if staff uploaded none."""

    id: str
    handle: str
    title: str
    description: str
    picture: PictureView | None


async def find_visible_collection(session: AsyncSession, handle: str) -> CollectionView | None:
    """Return the collection with this handle; None if there is none, or if it is hidden."""
    query = select(Collection).where(Collection.handle == handle, Collection.is_active)
    found = (await session.execute(query)).scalar_one_or_none()
    if found is None:
        return None
    return CollectionView(
        id=found.id,
        handle=found.handle,
        title=found.title,
        description=to_plain_text(found.description),
        picture=uploaded_picture_view(found.picture, ""),
    )
