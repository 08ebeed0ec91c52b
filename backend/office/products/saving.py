"""Saving the product form. Product, categories, pictures, variants and units are saved together, or not at all.

If two people edit the same product, nothing is lost: a value that only one of them changed is merged, and for a
value that both changed, the person who saves later must decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, SubjectType, record
from backend.catalog.collections import find_collection
from backend.catalog.events import publish_product_changes
from backend.catalog.handles import MAX_HANDLE_LENGTH, make_handle
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.products.commands import ChangeProduct, CreateProduct, WritePicture, WriteVariant
from backend.catalog.products.options import SEPARATOR, OptionInput, read_product_options, read_variant_values
from backend.catalog.products.preorders import set_incoming_units
from backend.catalog.products.service import change_product, create_product, lock_product, lock_products
from backend.catalog.products.variants import CODES, read_variants
from backend.catalog.schemas import cell_words
from backend.catalog.schemas.product_fields import FIELDS, METADATA_FIELDS, PREORDER_FIELDS
from backend.core.db.database import lock_rows
from backend.core.db.tables import table_of
from backend.core.errors import Conflict, NotAllowed, NotFound
from backend.core.texts import _
from backend.inventory.models import InventoryLevel
from backend.inventory.movements import (
    MAX_MOVED_UNITS,
    MovementDetails,
    Reason,
    StockCountOutdated,
    create_levels,
)
from backend.media.picture_urls import is_picture_address
from backend.media.picture_widths import parse_uploaded_picture
from backend.media.videos import VIDEO_KEY, parse_video_url
from backend.office.products.draft import (
    EXCLUDED,
    MEASURES,
    METADATA_TEXTS,
    NEW,
    TEXTS,
    Clash,
    Draft,
    FormRefused,
    VariantDraft,
    find_problems,
    merge_drafts,
    normalize_draft,
    parse_day,
    parse_measure,
    parse_pesos,
)
from backend.office.products.editor import PUBLISHED, FormBase, draft_of
from backend.office.products.options_form import OptionDraft
from backend.office.products.options_saving import refuse_variants_with_units, save_options
from backend.shipping.locations import find_first_location_id
from backend.staff.rights import Actor, Right
from backend.warehouse.service import ReservedForOrders, correct_stock

HIDDEN = "draft"
COLUMN_FIELDS = ("title", "subtitle", "description", "material", "origin_country", "warnings", "handle")
"""Fields that are stored in a column as they are typed."""
METADATA_KEYS = {
    **{key: field.column for key, field in METADATA_FIELDS.items()},
    **dict(zip(METADATA_TEXTS, METADATA_TEXTS, strict=True)),
}
Command = TypeVar("Command", bound=ChangeProduct)
MAX_SUFFIX_LENGTH = 10
"""Maximum number of characters of the suffix that makes the handles of products with the same title unique."""
RESERVED = _("Hay unidades apartadas de una presentación que quitaste: todavía no se puede borrar.")


@dataclass(frozen=True, slots=True)
class SubmittedForm:
    """The submitted form. `units`: the units to add (negative to remove), by the key of the variant."""

    base: FormBase
    draft: Draft
    units: dict[str, int]
    location_id: str


class FormClashes(Conflict):
    """Another person changed the same values since the form was shown."""

    def __init__(self, clashes: Sequence[Clash]) -> None:
        super().__init__("Others changed the same values: " + ", ".join(clash.name for clash in clashes))
        self.clashes = clashes


async def save_form(session: AsyncSession, actor: Actor, form: SubmittedForm) -> str:
    """Save the form completely, or not at all.

    Returns:
        The product's id.

    Raises:
        NotFound: the product, its new collection or a new category was deleted.
        FormRefused: a value is invalid, or a code or the handle belongs to another product.
        FormClashes: another person changed the same values.
        Conflict: another transaction changes the same rows now.
    """
    actor.require(Right.CHANGE_CATALOG)
    try:
        async with session.begin_nested():
            return await _save_product(session, actor, form)
    except IntegrityError:  # another save was first: try again, which merges with it
        try:
            async with session.begin_nested():
                return await _save_product(session, actor, form)
        except IntegrityError as error:
            raise Conflict("Another transaction changes the same product now") from error


async def _save_product(session: AsyncSession, actor: Actor, form: SubmittedForm) -> str:
    stored_options: list[OptionDraft] = []
    mine, before = normalize_draft(form.draft), normalize_draft(form.base.draft)
    product_id = form.base.id
    await _lock_places(session, before, mine)
    product = next(iter(await lock_products(session, [product_id])), None)
    if form.base.is_new:
        if product is not None:
            return product_id  # the form was sent twice
        draft = await _choose_handle(session, mine)
        await _validate(session, product_id, draft, None)
        new = replace(_build_command(CreateProduct, draft, None), id=product_id)
        await create_product(session, actor, new)
        await _set_places(session, actor, product_id, None, draft)
    else:
        if product is None:
            raise NotFound(f'Product with id "{product_id}" not found')
        stored = normalize_draft(await draft_of(session, product))
        stored_options = stored.options
        draft, clashes = merge_drafts(before, mine, stored)
        if clashes:
            raise FormClashes(clashes)
        await _validate(session, product_id, draft, stored)
        await _refuse_removed_units(session, product_id, draft)
        change = _build_command(ChangeProduct, draft, stored, product.thumbnail)
        if change != ChangeProduct():
            change = await _add_options(session, product_id, change, (stored, draft))
            try:
                await change_product(session, actor, product_id, change)
            except NotAllowed:
                raise FormRefused({"variants": RESERVED}) from None
        await _set_places(session, actor, product_id, stored, draft)
    await _move_units(session, actor, form, draft)
    if draft.options != stored_options:
        await save_options(
            session, actor, await lock_product(session, product_id), stored_options, draft.options
        )
    await _offer_preorder(
        session, product_id, set() if form.base.is_new else {one.key for one in before.variants}
    )
    await session.flush()
    return product_id


async def _offer_preorder(session: AsyncSession, product_id: str, known_ids: set[str]) -> None:
    """Make new variants of a preordered product, and variants without a stock level, available for preorder.

    A variant without a stock level gets one at the first location. `known_ids` are variants that are not new.
    """
    product = await session.get_one(Product, product_id)
    if product.preorder_day is None:
        return
    await session.flush()
    ids = [variant.id for variant in await read_variants(session, product_id)]
    levels = select(InventoryLevel.variant_id).where(InventoryLevel.variant_id.in_(ids))
    stocked = set((await session.execute(levels)).scalars())
    if location_id := await find_first_location_id(session):
        await create_levels(session, [one for one in ids if one not in stocked], location_id)
    await set_incoming_units(session, product, {one for one in ids if one not in stocked & known_ids})


async def _refuse_removed_units(session: AsyncSession, product_id: str, draft: Draft) -> None:
    """Check that no removed variant has units.

    Raises:
        FormRefused: units of a removed variant are stocked or reserved.
    """
    kept = {one.key for one in draft.variants}
    removed = [variant for variant in await read_variants(session, product_id) if variant.id not in kept]
    await refuse_variants_with_units(session, removed, "variants")


async def _lock_places(session: AsyncSession, before: Draft, mine: Draft) -> None:
    """Lock the collection and the categories to which the product is added. Always lock them before the product.

    Raises:
        NotFound: one of them was deleted.
    """
    collection_id = mine.texts["collection_id"]
    if collection_id and collection_id != before.texts["collection_id"]:
        await find_collection(session, collection_id, lock=True)
    new = sorted(set(mine.categories) - set(before.categories))
    if new:
        query = select(Category.id).where(Category.id.in_(new)).order_by(Category.id)
        if len((await session.execute(lock_rows(query))).all()) < len(new):
            raise NotFound("One of the categories was deleted")


async def _choose_handle(session: AsyncSession, draft: Draft) -> Draft:
    """Return the new product's draft with a handle; if none was typed, make an unused one from the title."""
    if draft.texts["handle"]:
        return draft
    base = make_handle(draft.texts["title"]) or "producto"
    stem = base[: MAX_HANDLE_LENGTH - MAX_SUFFIX_LENGTH]
    alike = select(Product.handle).where(Product.handle.startswith(stem, autoescape=True))
    taken = set((await session.execute(alike)).scalars())
    handle, number = base, 1
    while handle in taken:
        number += 1
        ending = f"-{number}"
        handle = base[: MAX_HANDLE_LENGTH - len(ending)].rstrip("-") + ending
    return replace(draft, texts={**draft.texts, "handle": handle})


async def _validate(session: AsyncSession, product_id: str, draft: Draft, stored: Draft | None) -> None:
    """Check that the form can be saved.

    Raises:
        FormRefused: a value is invalid; the error has the problems by field.
    """
    problems = find_problems(draft, stored)
    known = {one.url for one in stored.pictures} if stored else set()
    usable = {url for url in known if is_picture_address(url)}
    is_changed = stored is None or draft.pictures != stored.pictures
    if is_changed and any(
        one.url not in usable and parse_uploaded_picture(one.url) is None for one in draft.pictures
    ):
        problems["pictures"] = _("Una de las fotos no es de la tienda. Súbela otra vez.")
    video = draft.texts[VIDEO_KEY]
    if video and parse_video_url(video) is None and video != (stored.texts[VIDEO_KEY] if stored else ""):
        problems[VIDEO_KEY] = _("El video no es de la tienda. Súbelo otra vez.")
    owner = select(Product.id).where(Product.handle == draft.texts["handle"], Product.id != product_id)
    if (await session.execute(owner)).first():
        problems["handle"] = _("Otro producto tiene esta dirección.")
    for name in sorted(CODES):
        column = getattr(Variant, name)
        keys = {getattr(one, name): one.key for one in draft.variants if getattr(one, name)}
        others = select(column, Product.title).join(Product, Product.id == Variant.product_id)
        others = others.where(column.in_(keys), Variant.product_id != product_id)
        for code, title in (await session.execute(others)).all():
            problems[f"{name}-{keys[code]}"] = _("Lo tiene «{toy}».").format(toy=title)
    if problems:
        raise FormRefused(problems)


def _build_command(
    kind: type[Command], draft: Draft, stored: Draft | None, thumbnail: str | None = None
) -> Command:
    """Return the command that stores the form. For an existing product, it has only the differences from `stored`."""
    texts = draft.texts
    changed = {name for name in TEXTS if stored is None or texts[name] != stored.texts[name]}
    fields: dict[str, Any] = {
        name: texts[name] or FIELDS[name].null for name in COLUMN_FIELDS if name in changed
    }
    fields |= {
        name: parse_measure(texts[name], measure) for name, measure in MEASURES.items() if name in changed
    }
    if texts["origin_country"] and "origin_country" in changed:
        fields["origin_country"] = cell_words.parse_country(texts["origin_country"])
    fields |= _preorder_fields(texts, changed)
    if "tax_rate" in changed:
        is_excluded = texts["tax_rate"] == EXCLUDED
        fields |= {"tax_rate": 0 if is_excluded else int(texts["tax_rate"]), "tax_excluded": is_excluded}
    if stored is None or draft.is_published != stored.is_published:
        fields["status"] = PUBLISHED if draft.is_published else HIDDEN
    if stored is None or draft.is_featured != stored.is_featured:
        fields["featured"] = draft.is_featured
    pictures = variants = None
    if stored is None or draft.pictures != stored.pictures:
        known = {one.url for one in stored.pictures} if stored else set()
        urls = [one.url for one in draft.pictures]
        pictures = [
            WritePicture(
                url=one.url, alt=one.alt if one.alt or one.url in known else None, value_id=one.value or None
            )
            for one in draft.pictures
        ]
        was_first = stored is not None and [thumbnail] == [one.url for one in stored.pictures[:1]]
        if thumbnail not in urls or was_first:
            fields["thumbnail"] = urls[0] if urls else None
    if stored is None or draft.variants != stored.variants:
        variants = [_variant_command(one, rank) for rank, one in enumerate(draft.variants)]
    metadata = {key: texts[name] for key, name in METADATA_KEYS.items() if name in changed}
    return kind(fields=fields, metadata=metadata, pictures=pictures, variants=variants)


def _preorder_fields(texts: dict[str, str], changed: set[str]) -> dict[str, Any]:
    """Return the values of both preorder fields if one of them is in `changed`; otherwise an empty dict."""
    if changed.isdisjoint(PREORDER_FIELDS):
        return {}
    day, units = (texts[name] for name in PREORDER_FIELDS)
    return {"preorder_day": parse_day(day) if day else None, "preorder_units": int(units) if units else None}


def _variant_command(one: VariantDraft, rank: int) -> WriteVariant:
    return WriteVariant(
        id=None if one.key.startswith(NEW) else one.key,
        title=one.title,
        sku=one.sku,
        ean=one.ean,
        price=parse_pesos(one.price) or 0,
        compare_at_price=parse_pesos(one.before),
        cost=parse_pesos(one.cost),
        is_free=bool(one.is_free),
        rank=rank,
    )


async def _add_options(
    session: AsyncSession, product_id: str, change: ChangeProduct, drafts: tuple[Draft, Draft]
) -> ChangeProduct:
    """Return the change, in which renamed and new variants get the option values that are in their titles.

    A title such as `M / Rojo` has one value for each option, in order. Other titles are ignored. If two variants
    have the same title, the change is returned unchanged.

    Raises:
        FormRefused: a new title has the same values as another variant.
    """
    stored, draft = drafts
    variants = list(change.variants or ())
    known_titles = {one.key: one.title for one in stored.variants}
    options = await read_product_options(session, product_id)
    named = [[part.strip() for part in (one.title or "").split(SEPARATOR.strip())] for one in variants]
    if not options or not variants or len({tuple(parts) for parts in named}) < len(variants):
        return change
    values = {option.row.title: [value.value for value in option.values] for option in options}
    for place, parts in enumerate(named):
        variant = variants[place]
        is_new = known_titles.get(variant.id or "") != variant.title
        if is_new and len(parts) == len(options) and all(parts):
            variants[place] = replace(variant, options=dict(zip(values, parts, strict=True)))
            for title, value in variants[place].options.items():
                values[title] += [value] if value not in values[title] else []
    stored_values = await read_variant_values(session, [product_id])
    has = {
        variant_id: {option.row.title: of[option.row.id].value for option in options if option.row.id in of}
        for variant_id, of in stored_values.items()
    }
    chosen = [one.options or has.get(one.id or "") for one in variants]
    problems = {
        f"title-{new.key}": _("«{variant}» tiene ya estas opciones.").format(variant=other.title)
        for new, variant, combination in zip(draft.variants, variants, chosen, strict=True)
        for other, other_combination in zip(draft.variants, chosen, strict=True)
        if variant.options and other is not new and other_combination == combination
    }
    if problems:
        raise FormRefused(problems)
    return replace(
        change, variants=variants, options=[OptionInput(title, known) for title, known in values.items()]
    )


async def _set_places(
    session: AsyncSession, actor: Actor, product_id: str, stored: Draft | None, draft: Draft
) -> None:
    """Store the product's categories and collection. The audit entry has their names."""
    before = set(stored.categories) if stored else set()
    new, removed = set(draft.categories) - before, before - set(draft.categories)
    collection_id = draft.texts["collection_id"]
    old_collection = stored.texts["collection_id"] if stored else ""
    if not new and not removed and collection_id == old_collection:
        return
    names = dict((await session.execute(select(Category.id, Category.name))).all())
    titles = dict((await session.execute(select(Collection.id, Collection.title))).all())
    named = [sorted(names.get(one, one) for one in ids) for ids in (before, before - removed | new)]
    changes: dict[str, Change] = {
        "categories": (named[0], named[1]),
        "collection": (titles.get(old_collection), titles.get(collection_id)),
    }
    await record(session, actor, "changed", Subject(SubjectType.PRODUCT, product_id), changes)
    links = table_of(ProductCategory)
    if new:
        rows = [{"product_id": product_id, "category_id": one} for one in sorted(new)]
        await session.execute(insert(links), rows)
    if removed:
        await session.execute(
            delete(links).where(links.c.product_id == product_id, links.c.category_id.in_(removed))
        )
    if collection_id != old_collection:
        products = table_of(Product)
        await session.execute(
            update(products).where(products.c.id == product_id).values(collection_id=collection_id or None)
        )
    await publish_product_changes(session, [product_id])


async def _move_units(session: AsyncSession, actor: Actor, form: SubmittedForm, draft: Draft) -> None:
    """Add the units of the form to the stock.

    The current stock must equal the stock that the form showed. So a form that is submitted twice adds its units
    only once.

    Raises:
        FormRefused: the units cannot be moved, or the location does not exist.
        FormClashes: the stock changed since the form was shown.
    """
    if not any(form.units.values()):
        return
    ids = {
        one.key: saved.id
        for one, saved in zip(draft.variants, await read_variants(session, form.base.id), strict=True)
    }
    for key, units in sorted(form.units.items(), key=lambda one: ids.get(one[0], "")):
        if not units or key not in ids:
            continue
        row = (ids[key], form.location_id)
        seen = form.base.stocked.get("|".join(row), 0)
        if not 0 <= seen + units <= MAX_MOVED_UNITS:
            raise FormRefused({f"units-{key}": _("Hay {n}: no quedarían tantas.").format(n=seen)})
        why = MovementDetails(Reason.RECEIVED if units > 0 else Reason.CORRECTION, actor)
        try:
            await correct_stock(session, actor, row, seen + units, why, expected=seen)
        except StockCountOutdated as error:
            raise FormClashes([Clash(f"units-{key}", f"{units:+}", str(error.stocked))]) from None
        except ReservedForOrders as error:
            raise FormRefused({f"units-{key}": error.text}) from None
        except NotFound:
            raise FormRefused({f"units-{key}": _("Elige dónde están.")}) from None
