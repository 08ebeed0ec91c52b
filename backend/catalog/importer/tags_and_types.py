"""Tags and types that a file names: tags by value, types by value or id. Missing ones are created on request."""

from collections.abc import Collection

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import ProductTag, ProductType
from backend.catalog.products.tags_and_types import TAGS, TYPES, NewWord
from backend.plain_tables.service import create_row
from backend.staff.rights import Actor


async def find_tag_ids(session: AsyncSession, values: Collection[str]) -> dict[str, str]:
    """Return the ids of the tags with these values, by value."""
    if not values:
        return {}
    query = select(ProductTag.value, ProductTag.id).where(ProductTag.value.in_(values))
    return dict((await session.execute(query)).all())


async def find_type_ids(session: AsyncSession, texts: Collection[str]) -> dict[str, str]:
    """Return the ids of the types that these texts name by value or by id; the keys are the values and the ids.

    If a text is the id of one type and the value of another, it names the type with this id.
    """
    if not texts:
        return {}
    query = select(ProductType.id, ProductType.value)
    found = (
        await session.execute(query.where(or_(ProductType.id.in_(texts), ProductType.value.in_(texts))))
    ).all()
    return {value: id_ for id_, value in found} | {id_: id_ for id_, _value in found}


async def create_words(
    session: AsyncSession, actor: Actor, tags: Collection[str], types: Collection[str]
) -> list[str]:
    """Create the missing tags and types, and return their values.

    Raises:
        InvalidData: someone else created one of them in the meantime.
    """
    known_tags, known_types = await find_tag_ids(session, tags), await find_type_ids(session, types)
    new_tags = [value for value in tags if value not in known_tags]
    new_types = [value for value in types if value not in known_types]
    for value in new_tags:
        await create_row(session, actor, TAGS, NewWord(value=value))
    for value in new_types:
        await create_row(session, actor, TYPES, NewWord(value=value))
    return [*new_tags, *new_types]
