"""Writing a batch: only what differs from what the shop has; what changed is indexed and published."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, Thing, record
from backend.catalog.events import products_changed
from backend.catalog.importer.categories import KnownPlaces, Places
from backend.catalog.importer.columns import OPTIONS, PRODUCT_CELLS, VARIANT_CELLS
from backend.catalog.importer.option_writer import write_options
from backend.catalog.importer.row_matching import Known, settle
from backend.catalog.importer.row_reader import Row
from backend.catalog.models import (
    Picture,
    Product,
    ProductCategory,
    ProductTag,
    Variant,
)
from backend.catalog.products.tags_and_types import Words, set_words, words_of
from backend.core.db.database import Database, locked
from backend.core.events import publish
from backend.core.texts import _
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import Moved, Reason, Why, note_movement
from backend.media.picture_widths import Prepared
from backend.staff.rights import COMMAND_LINE

NEW, CHANGED, SAME = "new", "changed", "same"
BY_COMMAND = Why(Reason.COUNT, COMMAND_LINE)
"""Why the stock changes: it was counted."""


class ShopChanged(Exception):
    """Somebody changed the shop or the file during the import. Batches written before stay."""


@dataclass
class ImportResult:
    """How many rows were new, changed or the same; and the names of categories and collections that were made."""

    counts: Counter[str] = field(default_factory=Counter)
    made: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """The product and the variant of a row, and whether they are new: a new product is that of its first row."""

    row: Row
    product: Product
    variant: Variant
    is_new: bool
    is_new_variant: bool


async def write(
    database: Database,
    rows: Sequence[Row],
    location_id: str,
    picture: Callable[[str], Prepared],
    result: ImportResult,
) -> None:
    """Write these rows, in one transaction.

    Raises:
        ShopChanged: a row that was right when it was checked no longer is; nothing of the batch is written.
    """
    try:
        async with database.transaction() as session:
            targets, changed = await write_rows(session, rows, location_id, picture)
            if changed:
                values = {"products": (None, sorted(changed))}
                await record(session, COMMAND_LINE, "imported", Subject(Thing.CATALOG, "import"), values)
    except IntegrityError as error:  # two at once, and the other was first
        raise ShopChanged("somebody saved the same handle or code at this moment") from error
    for target in targets:
        is_new = target.is_new or target.is_new_variant
        result.counts[NEW if is_new else CHANGED if target.product.id in changed else SAME] += 1


async def write_rows(
    session: AsyncSession,
    rows: Sequence[Row],
    location_id: str,
    picture: Callable[[str], Prepared],
    why: Why = BY_COMMAND,
) -> tuple[Sequence[Target], set[str]]:
    """Write these rows in the session's transaction; whoever calls this records it.

    Returns:
        The product and the variant of each row, and the ids of the products that are new or were changed.

    Raises:
        ShopChanged: a row that was right when it was checked no longer is.
    """
    targets = await _targets(session, rows)
    places = await Places.read(session)
    changed = await _columns_of(session, targets, places.collections)
    changed |= await _categories_of(session, targets, places.categories)
    changed |= await _words_of(session, targets)
    changed |= await _pictures_of(session, targets, picture)
    changed |= await write_options(session, targets)
    changed |= await _stock_of(session, targets, location_id, why)
    await products_changed(session, changed)
    await session.flush()
    return targets, changed


async def _targets(session: AsyncSession, rows: Sequence[Row]) -> list[Target]:
    known = await Known.read(session, rows, lock=True)
    made: dict[str, Product] = {}
    ranks = {product_id: len(some) for product_id, some in known.variants.items()}
    targets = []
    for one in settle(known, rows):
        row, match = one.row, one.match
        if one.problems or match is None:
            raise ShopChanged(f"{one.problems[0]}")
        product = match.product or made.get(row.values["handle"])
        is_new = product is None
        if product is None:
            product = Product(handle=row.values["handle"], title=row.values["title"])
            if OPTIONS in row.values:
                made[product.handle] = product
        variant = match.variant
        if variant is None:
            rank = ranks.get(product.id, 0)
            variant = Variant(product_id=product.id, price=row.values["price"], rank=rank)
            ranks[product.id] = rank + 1
        targets.append(Target(row, product, variant, is_new, match.variant is None))
    return targets


async def _columns_of(session: AsyncSession, targets: Sequence[Target], collections: KnownPlaces) -> set[str]:
    """The columns of the product and of the variant."""
    changed = set()
    for target in targets:
        values = dict(target.row.values)
        if "collection" in values:
            said = values["collection"]
            values["collection_id"] = _id_of(collections, said) if said else None
        differs = _set(target.product, values, (*PRODUCT_CELLS, "collection_id"))
        if target.product.deleted_at is not None:  # importing a deleted product brings it back
            target.product.deleted_at = None
            target.product.status = values.get("status", "published")
            differs = True
        differs |= _set(target.variant, values, VARIANT_CELLS)
        differs |= _set(
            target.variant, {"title": values.get("variant_title") or target.variant.title}, ["title"]
        )
        if target.is_new or differs:
            changed.add(target.product.id)
    session.add_all([target.product for target in targets])
    await session.flush()
    session.add_all([target.variant for target in targets])
    await session.flush()
    return changed


async def _categories_of(
    session: AsyncSession, targets: Sequence[Target], categories: KnownPlaces
) -> set[str]:
    """The categories the products stand in."""
    wanted = _asked(targets, "categories")
    if not wanted:
        return set()
    has: dict[str, set[str]] = defaultdict(set)
    rows = select(ProductCategory).where(ProductCategory.product_id.in_(wanted))
    for row in (await session.execute(rows)).scalars():
        has[row.product_id].add(row.category_id)
    changed = set()
    for product_id, names in wanted.items():
        want = {_id_of(categories, name) for name in names}
        if want == has[product_id]:
            continue
        changed.add(product_id)
        gone = has[product_id] - want
        if gone:
            await session.execute(
                delete(ProductCategory).where(
                    ProductCategory.product_id == product_id, ProductCategory.category_id.in_(gone)
                )
            )
        session.add_all(
            ProductCategory(product_id=product_id, category_id=category_id)
            for category_id in sorted(want - has[product_id])
        )
    await session.flush()
    return changed


async def _words_of(session: AsyncSession, targets: Sequence[Target]) -> set[str]:
    """The tags and the type of the products."""
    tags, types = _asked(targets, "tags"), _asked(targets, "type")
    if not tags and not types:
        return set()
    has = await words_of(session, [*{**tags, **types}])
    values = {value for some in tags.values() for value in some}
    query = select(ProductTag.value, ProductTag.id).where(ProductTag.value.in_(values))
    ids = dict((await session.execute(query)).all())
    changed = set()
    for product in _products_of(targets):
        words = has.get(product.id, Words())
        said: dict[str, Any] = {}
        wanted = tags.get(product.id)
        if wanted is not None and set(wanted) != {tag["value"] for tag in words.tags}:
            said["tag_ids"] = [ids[value] for value in wanted]
        if product.id in types and types[product.id] != (words.type and words.type["id"]):
            said["type_id"] = types[product.id]
        if said:
            await set_words(session, product, **said)
            changed.add(product.id)
    return changed


async def _pictures_of(
    session: AsyncSession, targets: Sequence[Target], picture: Callable[[str], Prepared]
) -> set[str]:
    """The products' pictures, in their order; they are made already."""
    wanted = _asked(targets, "pictures")
    if not wanted:
        return set()
    has: dict[str, list[Picture]] = defaultdict(list)
    rows = select(Picture).where(Picture.product_id.in_(wanted)).order_by(Picture.rank)
    for row in (await session.execute(rows)).scalars():
        has[row.product_id].append(row)
    changed = set()
    for product in _products_of(targets):
        if product.id not in wanted:
            continue
        prepared = [picture(name) for name in wanted[product.id]]
        if [one.url for one in prepared] == [one.url for one in has[product.id]]:
            continue
        changed.add(product.id)
        if has[product.id]:
            await session.execute(delete(Picture).where(Picture.product_id == product.id))
        product.thumbnail = prepared[0].url if prepared else None
        session.add_all(_rows_of(product, prepared))
    await session.flush()
    return changed


async def _stock_of(session: AsyncSession, targets: Sequence[Target], location_id: str, why: Why) -> set[str]:
    """The stock at the location; never less than is reserved."""
    stock = {target.variant.id: target for target in targets if target.row.get("stock") is not None}
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id.in_(stock), InventoryLevel.location_id == location_id
    )
    levels = {
        level.variant_id: level
        for level in (await session.execute(locked(query.order_by(InventoryLevel.id)))).scalars()
    }
    changed = set()
    moved: dict[str, tuple[int, int]] = {}
    for variant_id, target in stock.items():
        level, units = levels.get(variant_id), target.row.values["stock"]
        if level is None:
            session.add(InventoryLevel(variant_id=variant_id, location_id=location_id, stocked=units))
            moved[variant_id] = (units, units)
            changed.add(target.product.id)
        elif level.stocked != max(units, level.reserved):
            after = max(units, level.reserved)
            moved[variant_id] = (after - level.stocked, after)
            level.stocked = after
            changed.add(target.product.id)
    await session.flush()
    deltas = {variant_id: delta for variant_id, (delta, _after) in moved.items() if delta}
    for variant_id, delta in deltas.items():
        await note_movement(session, Moved(variant_id, location_id, delta, moved[variant_id][1]), why)
    if deltas:
        await publish(session, StockChanged(deltas))
    return changed


def _id_of(places: KnownPlaces, said: str) -> str:
    """The id of the category or collection that a row names.

    Raises:
        ShopChanged: the shop does not have it any more.
    """
    found = places.ids.get(places.handle_of(said))
    if found is None:
        raise ShopChanged(f"the shop has no {places.called} {said} any more")
    return found


def _set(thing: Product | Variant, values: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether anything was different before."""
    differing = [name for name in names if name in values and getattr(thing, name) != values[name]]
    for name in differing:
        setattr(thing, name, values[name])
    return bool(differing)


def _products_of(targets: Sequence[Target]) -> list[Product]:
    """The products of the rows, each once: one has as many rows as it has variants."""
    return list({target.product.id: target.product for target in targets}.values())


def _asked(targets: Sequence[Target], column: str) -> dict[str, Any]:
    """By product, what the rows that have this column say in it."""
    return {target.product.id: target.row.values[column] for target in targets if column in target.row.values}


def _rows_of(product: Product, prepared: Sequence[Prepared]) -> list[Picture]:
    return [
        Picture(
            product_id=product.id,
            url=one.url,
            alt=product.title
            if rank == 0
            else _("{title}, foto {n}").format(title=product.title, n=rank + 1),
            rank=rank,
            width=one.width,
            height=one.height,
            sources=one.sources_json(),
        )
        for rank, one in enumerate(prepared)
    ]
