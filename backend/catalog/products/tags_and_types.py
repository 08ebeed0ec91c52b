"""Tags and types of products, by which programs sort them: a product has any number of tags, and one type at most."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Select, bindparam, literal, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Thing
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, ProductHasTag, ProductHasType, ProductTag, ProductType
from backend.core.commands import UNCHANGED
from backend.core.db.tables import table_of
from backend.core.errors import NotFound
from backend.core.events import publish
from backend.edge.schemas import FilledName, Name, example
from backend.edge.wire import JsonDict
from backend.plain_tables.schemas import RowChange, RowsParameters
from backend.plain_tables.service import Kind
from backend.staff.rights import Right


class WordsParameters(RowsParameters):
    """Which tags or types."""

    value: list[Name] | None = None


class WordChange(RowChange):
    """A change of a tag or a type."""

    model_config = example(value="De madera")

    value: FilledName | None = None


class NewWord(WordChange):
    """A new tag or type. No two are called alike."""

    model_config = example(value="Hecho a mano")

    value: FilledName


async def _tell_of_tag(session: AsyncSession, tag_id: str) -> None:
    await _tell(session, select(ProductHasTag.product_id).where(ProductHasTag.tag_id == tag_id))


async def _tell_of_type(session: AsyncSession, type_id: str) -> None:
    await _tell(session, select(ProductHasType.product_id).where(ProductHasType.type_id == type_id))


async def _tell(session: AsyncSession, products: Select[str]) -> None:
    """Publish that these products changed: programs are shown the words with them. No search knows them."""
    for product_id in sorted((await session.execute(products)).scalars().all()):
        await publish(session, ProductChanged(product_id))


TAGS = Kind(
    table=ProductTag,
    thing=Thing.PRODUCT_TAG,
    names=("product_tags", "product_tag"),
    right=Right.CHANGE_CATALOG,
    texts=("value",),
    constants={"external_id": None},
    new=NewWord,
    change=WordChange,
    parameters=WordsParameters,
    before_change=_tell_of_tag,
)
TYPES = Kind(
    table=ProductType,
    thing=Thing.PRODUCT_TYPE,
    names=("product_types", "product_type"),
    right=Right.CHANGE_CATALOG,
    texts=("value",),
    constants={"external_id": None},
    new=NewWord,
    change=WordChange,
    parameters=WordsParameters,
    before_change=_tell_of_type,
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
class Words:
    """The tags and the type of a product, as the platform shows them."""

    tags: list[JsonDict] = field(default_factory=list)
    type: JsonDict | None = None


async def words_of(session: AsyncSession, product_ids: Sequence[str]) -> dict[str, Words]:
    """The tags and types of these products, in one query; no entry for a product without any."""
    found: dict[str, Words] = defaultdict(Words)
    for row in await session.execute(_WORDS, {"ids": product_ids}):
        if row.name == "type":
            found[row.product_id].type = TYPES.wire(row)
        else:
            found[row.product_id].tags.append(TAGS.wire(row))
    return found


async def set_words(
    session: AsyncSession,
    product: Product,
    *,
    tag_ids: Collection[str] | None = None,
    type_id: str | None = UNCHANGED,
) -> None:
    """Give the product these tags (None: its own stay) and this type (None: no type).

    Raises:
        NotFound: there is no such tag or type.
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
        await _require(session, TYPES, {type_id})
        link = link or ProductHasType(product_id=product_id, type_id=type_id)
        link.type_id = type_id
        session.add(link)
    await session.flush()


async def _set_tags(session: AsyncSession, product_id: str, wanted: set[str]) -> None:
    await _require(session, TAGS, wanted)
    query = select(ProductHasTag).where(ProductHasTag.product_id == product_id)
    has = {link.tag_id: link for link in (await session.execute(query)).scalars()}
    for tag_id in sorted(has.keys() - wanted):
        await session.delete(has[tag_id])
    session.add_all(ProductHasTag(product_id=product_id, tag_id=one) for one in sorted(wanted - has.keys()))
    await session.flush()


async def _require(session: AsyncSession, kind: Kind, wanted: set[str]) -> None:
    """All of these are there, and stay until the transaction ends; others may use them meanwhile.

    Raises:
        NotFound: one is not.
    """
    query = select(kind.table.id).where(kind.table.id.in_(wanted)).order_by(kind.table.id)
    known = (await session.execute(query.with_for_update(read=True, key_share=True))).scalars()
    if missing := sorted(wanted - set(known)):
        raise NotFound(f"{kind.called} with id: {missing[0]} was not found")
