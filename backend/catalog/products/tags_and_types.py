"""Tags and types of products, for API clients: a product has any number of tags, and at most one type."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, bindparam, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import SubjectType
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, ProductHasTag, ProductHasType, ProductTag, ProductType
from backend.core.commands import UNCHANGED
from backend.core.db.tables import table_of
from backend.core.errors import NotFound
from backend.core.events import publish
from backend.edge.schemas import FilledName, Name, example
from backend.edge.wire import JsonDict
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import PlainTable
from backend.staff.rights import Right


class WordsParameters(RowsParameters):
    """Filters of the list of tags or types."""

    value: list[Name] | None = None


class WordChange(RowChange):
    """A change of a tag or a type."""

    model_config = example(value="De madera")

    value: FilledName | None = None


class NewWord(WordChange):
    """A new tag or type. Its value must be unique."""

    model_config = example(value="Hecho a mano")

    value: FilledName


async def _publish_tag_change(session: AsyncSession, tag_id: str) -> None:
    await _publish_changes(session, select(ProductHasTag.product_id).where(ProductHasTag.tag_id == tag_id))


async def _publish_type_change(session: AsyncSession, type_id: str) -> None:
    await _publish_changes(
        session, select(ProductHasType.product_id).where(ProductHasType.type_id == type_id)
    )


async def _publish_changes(session: AsyncSession, products: Select[str]) -> None:
    """Publish `ProductChanged` for these products.

    API responses contain tags and types. The search index does not, so it is not updated.
    """
    for product_id in sorted((await session.execute(products)).scalars().all()):
        await publish(session, ProductChanged(product_id))


TAGS = PlainTable(
    table=ProductTag,
    subject_type=SubjectType.PRODUCT_TAG,
    names=("product_tags", "product_tag"),
    right=Right.CHANGE_CATALOG,
    text_columns=("value",),
    constants={"external_id": None},
    create_model=NewWord,
    change_model=WordChange,
    parameters=WordsParameters,
    before_change=_publish_tag_change,
)
TYPES = PlainTable(
    table=ProductType,
    subject_type=SubjectType.PRODUCT_TYPE,
    names=("product_types", "product_type"),
    right=Right.CHANGE_CATALOG,
    text_columns=("value",),
    constants={"external_id": None},
    create_model=NewWord,
    change_model=WordChange,
    parameters=WordsParameters,
    before_change=_publish_type_change,
)
_OF_THESE: Any = bindparam("ids", expanding=True)
_WORDS = union_all(
    *(
        select(link.product_id, literal(name).label("name"), *table_of(table).columns)
        .join_from(link, table, of_link == table.id)
        .where(link.product_id.in_(_OF_THESE))
        for name, link, of_link, table in (
            ("tags", ProductHasTag, ProductHasTag.tag_id, ProductTag),
            ("type", ProductHasType, ProductHasType.type_id, ProductType),
        )
    )
).order_by("value")


@dataclass(slots=True)
class TagsAndType:
    """The tags and the type of a product, as the platform's JSON."""

    tags: list[JsonDict] = field(default_factory=list)
    type: JsonDict | None = None


async def read_tags_and_types(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, TagsAndType]:
    """Return the tags and the type of each product, by product id, with one query.

    Products without tags and type are left out.
    """
    found: dict[str, TagsAndType] = defaultdict(TagsAndType)
    for row in await session.execute(_WORDS, {"ids": product_ids}):
        if row.name == "type":
            found[row.product_id].type = TYPES.to_wire(row)
        else:
            found[row.product_id].tags.append(TAGS.to_wire(row))
    return found


async def set_tags_and_type(
    session: AsyncSession,
    product: Product,
    *,
    tag_ids: Collection[str] | None = None,
    type_id: str | None = UNCHANGED,
) -> None:
    """Set the product's tags (None keeps them) and its type (None removes it).

    Raises:
        NotFound: a tag or the type does not exist.
    """
    if type_id is not UNCHANGED:
        await _set_type(session, product.id, type_id)
    if tag_ids is not None:
        await _set_tags(session, product.id, set(tag_ids))


async def _set_type(session: AsyncSession, product_id: str, type_id: str | None) -> None:
    link = await session.get(ProductHasType, product_id)
    if not type_id:
        if link is not None:
            await session.delete(link)
    else:
        await _require_existing(session, TYPES, {type_id})
        link = link or ProductHasType(product_id=product_id, type_id=type_id)
        link.type_id = type_id
        session.add(link)
    await session.flush()


async def _set_tags(session: AsyncSession, product_id: str, wanted_ids: set[str]) -> None:
    await _require_existing(session, TAGS, wanted_ids)
    query = select(ProductHasTag).where(ProductHasTag.product_id == product_id)
    current_links = {link.tag_id: link for link in (await session.execute(query)).scalars()}
    for tag_id in sorted(current_links.keys() - wanted_ids):
        await session.delete(current_links[tag_id])
    session.add_all(
        ProductHasTag(product_id=product_id, tag_id=one) for one in sorted(wanted_ids - current_links.keys())
    )
    await session.flush()


async def _require_existing(session: AsyncSession, kind: PlainTable, wanted_ids: set[str]) -> None:
    """Check that all of these rows exist, and lock them against deletion until the transaction ends.

    Other transactions can still store references to the same rows.

    Raises:
        NotFound: a row does not exist.
    """
    query = select(kind.table.id).where(kind.table.id.in_(wanted_ids)).order_by(kind.table.id)
    existing_ids = (await session.execute(query.with_for_update(read=True, key_share=True))).scalars()
    if missing := sorted(wanted_ids - set(existing_ids)):
        raise NotFound(f"{kind.display_name} with id: {missing[0]} was not found")
