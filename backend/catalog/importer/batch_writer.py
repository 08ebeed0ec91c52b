"""Writer of a batch of rows.

It writes only values that differ from the stored ones. Then it updates the search index and publishes events for
the changed products.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.catalog.events import publish_product_changes
from backend.catalog.importer.categories import GroupLookup, ProductGroups
from backend.catalog.importer.columns import OPTIONS, PRODUCT_CELLS, VARIANT_CELLS
from backend.catalog.importer.option_writer import write_options
from backend.catalog.importer.picture_writer import write_pictures, write_variant_pictures
from backend.catalog.importer.publication import set_new_statuses
from backend.catalog.importer.row_matching import KnownProducts, match_rows
from backend.catalog.importer.row_reader import Row
from backend.catalog.importer.source_rows import find_titled_rows
from backend.catalog.importer.tags_and_types import find_tag_ids, find_type_ids
from backend.catalog.models import (
    Product,
    ProductCategory,
    Variant,
)
from backend.catalog.products.tags_and_types import TagsAndType, read_tags_and_types, set_tags_and_type
from backend.catalog.products.variant_pictures import update_imported_thumbnails
from backend.catalog.redirects.service import add_product_addresses
from backend.core.db.database import Database, lock_rows
from backend.core.events import publish
from backend.inventory.events import StockChanged
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import AppliedMovement, MovementDetails, Reason, record_movement
from backend.media.picture_widths import PreparedPicture
from backend.staff.rights import COMMAND_LINE

NEW, CHANGED, SAME = "new", "changed", "same"
COMMAND_LINE_REASON = MovementDetails(Reason.COUNT, COMMAND_LINE)
"""Reason of the stock movements of an import: a stock count."""


class ShopChanged(Exception):
    """The shop or the file changed during the import. Batches that were already written are not rolled back."""


@dataclass
class ImportResult:
    """Result of an import: the numbers of new, changed and unchanged rows, by `NEW`, `CHANGED` and `SAME`.

    `created_names` has the names of the categories, collections, tags and types that were created.
    """

    counts: Counter[str] = field(default_factory=Counter)
    created_names: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """A row of the file with its product and its variant.

    `is_new` is True only for the first row of a new product. `is_new_variant` is True if the variant is new.
    """

    row: Row
    product: Product
    variant: Variant
    is_new: bool
    is_new_variant: bool


async def write_batch(
    database: Database,
    rows: Sequence[Row],
    location_id: str,
    picture: Callable[[str], PreparedPicture],
    result: ImportResult,
    *,
    publishes: bool = False,
) -> None:
    """Write these rows in one transaction. For `publishes` see `set_new_statuses`.

    Raises:
        ShopChanged: a row that was valid when the file was checked is not valid any more; the whole batch is rolled
            back.
    """
    try:
        async with database.transaction() as session:
            targets, changed = await write_rows(session, rows, location_id, picture, publishes=publishes)
            if changed:
                values = {"products": (None, sorted(changed))}
                await record(
                    session, COMMAND_LINE, "imported", Subject(SubjectType.CATALOG, "import"), values
                )
    except IntegrityError as error:  # a concurrent transaction was faster
        raise ShopChanged("someone else saved the same handle or code at the same time") from error
    for target in targets:
        is_new = target.is_new or target.is_new_variant
        result.counts[NEW if is_new else CHANGED if target.product.id in changed else SAME] += 1


async def write_rows(
    session: AsyncSession,
    rows: Sequence[Row],
    location_id: str,
    picture: Callable[[str], PreparedPicture],
    why: MovementDetails = COMMAND_LINE_REASON,
    *,
    publishes: bool = False,
) -> tuple[Sequence[Target], set[str]]:
    """Write these rows in the session's transaction. The caller records the change in the audit.

    For `publishes` see `set_new_statuses`.

    Returns:
        The product and the variant of each row, and the ids of the products that are new or were changed.

    Raises:
        ShopChanged: a row that was valid when the file was checked is not valid any more.
    """
    targets = await _resolve_targets(session, rows, publishes=publishes)
    product_groups = await ProductGroups.read(session)
    changed = await _write_columns(session, targets, product_groups.collections)
    changed |= await _write_categories(session, targets, product_groups.categories)
    changed |= await _write_tags_and_types(session, targets)
    changed |= await write_pictures(session, targets, picture)
    changed |= await write_options(session, targets)
    changed |= await write_variant_pictures(session, targets, picture)
    await update_imported_thumbnails(session, changed)
    changed |= await _write_old_addresses(session, targets)
    changed |= await _write_stock(session, targets, location_id, why)
    created = {target.product.id for target in targets if target.is_new}
    await publish_product_changes(session, changed, created_ids=created)
    await session.flush()
    return targets, changed


async def _resolve_targets(session: AsyncSession, rows: Sequence[Row], *, publishes: bool) -> list[Target]:
    titled = find_titled_rows(rows)
    known_products = await KnownProducts.read(session, [*rows, *titled.values()], lock=True)
    new_products: dict[str, Product] = {}
    ranks = {product_id: len(some) for product_id, some in known_products.variants.items()}
    targets = []
    for one in set_new_statuses(match_rows(known_products, rows, titled), publishes=publishes):
        row, match = one.row, one.match
        if one.problems or match is None:
            raise ShopChanged(f"{one.problems[0]}")
        product = match.product or new_products.get(row.values["handle"])
        is_new = product is None
        if product is None:
            product = Product(handle=row.values["handle"], title=row.values["title"])
            if OPTIONS in row.values:
                new_products[product.handle] = product
        variant = match.variant
        if variant is None:
            rank = ranks.get(product.id, 0)
            variant = Variant(product_id=product.id, price=row.values["price"], rank=rank)
            ranks[product.id] = rank + 1
        targets.append(Target(row, product, variant, is_new, match.variant is None))
    return targets


async def _write_columns(
    session: AsyncSession, targets: Sequence[Target], collections: GroupLookup
) -> set[str]:
    """Write the columns of products and variants. Return the ids of the changed products."""
    changed = set()
    for target in targets:
        values = dict(target.row.values)
        if "collection" in values:
            given = values["collection"]
            values["collection_id"] = _find_group_id(collections, given) if given else None
        differs = _set_differing(target.product, values, (*PRODUCT_CELLS, "collection_id"))
        if target.product.deleted_at is not None:  # importing a deleted product restores it
            target.product.deleted_at = None
            differs = True
        differs |= _set_differing(target.variant, values, VARIANT_CELLS)
        differs |= _set_differing(
            target.variant, {"title": values.get("variant_title") or target.variant.title}, ["title"]
        )
        if target.is_new or differs:
            changed.add(target.product.id)
    session.add_all([target.product for target in targets])
    await session.flush()
    session.add_all([target.variant for target in targets])
    await session.flush()
    return changed


async def _write_categories(
    session: AsyncSession, targets: Sequence[Target], categories: GroupLookup
) -> set[str]:
    """Write the products' categories. Return the ids of the changed products."""
    wanted_by_product = _values_by_product(targets, "categories")
    if not wanted_by_product:
        return set()
    current_by_product: dict[str, set[str]] = defaultdict(set)
    rows = select(ProductCategory).where(ProductCategory.product_id.in_(wanted_by_product))
    for row in (await session.execute(rows)).scalars():
        current_by_product[row.product_id].add(row.category_id)
    changed = set()
    for product_id, names in wanted_by_product.items():
        wanted_ids = {_find_group_id(categories, name) for name in names}
        if wanted_ids == current_by_product[product_id]:
            continue
        changed.add(product_id)
        removed_ids = current_by_product[product_id] - wanted_ids
        if removed_ids:
            await session.execute(
                delete(ProductCategory).where(
                    ProductCategory.product_id == product_id, ProductCategory.category_id.in_(removed_ids)
                )
            )
        session.add_all(
            ProductCategory(product_id=product_id, category_id=category_id)
            for category_id in sorted(wanted_ids - current_by_product[product_id])
        )
    await session.flush()
    return changed


async def _write_tags_and_types(session: AsyncSession, targets: Sequence[Target]) -> set[str]:
    """Write the products' tags and types. Return the ids of the changed products."""
    tags, types = _values_by_product(targets, "tags"), _values_by_product(targets, "type")
    if not tags and not types:
        return set()
    current_by_product = await read_tags_and_types(session, [*{**tags, **types}])
    ids = await find_tag_ids(session, {value for some in tags.values() for value in some})
    type_ids = await find_type_ids(session, {text for text in types.values() if text})
    changed = set()
    for product in _distinct_products(targets):
        words = current_by_product.get(product.id, TagsAndType())
        given: dict[str, Any] = {}
        wanted_tags = tags.get(product.id)
        if wanted_tags is not None and set(wanted_tags) != {tag["value"] for tag in words.tags}:
            given["tag_ids"] = [ids[value] for value in wanted_tags]
        type_id = type_ids.get(types.get(product.id) or "")
        if product.id in types and type_id != (words.type and words.type["id"]):
            given["type_id"] = type_id
        if given:
            await set_tags_and_type(session, product, **given)
            changed.add(product.id)
    return changed


async def _write_old_addresses(session: AsyncSession, targets: Sequence[Target]) -> set[str]:
    """Redirect the products' former addresses. Return the ids of the products that got a redirect."""
    addresses: dict[str, list[str]] = defaultdict(list)
    for target in targets:
        addresses[target.product.id] += target.row.get("old_addresses") or ()
    return await add_product_addresses(session, addresses)


async def _write_stock(
    session: AsyncSession, targets: Sequence[Target], location_id: str, why: MovementDetails
) -> set[str]:
    """Set the stock at the location to the file's numbers, but never below the reserved units.

    Return the ids of the changed products.
    """
    stock = {target.variant.id: target for target in targets if target.row.get("stock") is not None}
    query = select(InventoryLevel).where(
        InventoryLevel.variant_id.in_(stock), InventoryLevel.location_id == location_id
    )
    levels = {
        level.variant_id: level
        for level in (await session.execute(lock_rows(query.order_by(InventoryLevel.id)))).scalars()
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
        await record_movement(
            session, AppliedMovement(variant_id, location_id, delta, moved[variant_id][1]), why
        )
    if deltas:
        await publish(session, StockChanged(deltas))
    return changed


def _find_group_id(product_groups: GroupLookup, given: str) -> str:
    """Return the id of the category or collection that a row names.

    Raises:
        ShopChanged: it does not exist any more.
    """
    found = product_groups.ids.get(product_groups.find_group_handle(given))
    if found is None:
        raise ShopChanged(f"the shop has no {product_groups.kind_name} {given} any more")
    return found


def _set_differing(thing: Product | Variant, values: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Set the named attributes whose value differs from `values`. Return True if any value differed."""
    differing = [name for name in names if name in values and getattr(thing, name) != values[name]]
    for name in differing:
        setattr(thing, name, values[name])
    return bool(differing)


def _distinct_products(targets: Sequence[Target]) -> list[Product]:
    """Return the products of the rows without duplicates: a product has one row per variant."""
    return list({target.product.id: target.product for target in targets}.values())


def _values_by_product(targets: Sequence[Target], column: str) -> dict[str, Any]:
    """Return the values of a column by product id, from the rows that have a value in this column."""
    return {target.product.id: target.row.values[column] for target in targets if column in target.row.values}
