"""Saving Producto's form: a toy is made or changed with its places, pictures, variants and units, or nothing is.

Two people who save the same toy lose nothing: what only one of them changed is merged, and what both did is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Change, Subject, Thing, record
from backend.catalog.collections import find_collection
from backend.catalog.events import products_changed
from backend.catalog.handles import LONGEST_HANDLE, handle_from
from backend.catalog.models import Category, Collection, Product, ProductCategory, Variant
from backend.catalog.products.commands import ChangeProduct, CreateProduct, WritePicture, WriteVariant
from backend.catalog.products.options import SEPARATOR, SaidOption, options_of, values_of_variants
from backend.catalog.products.service import change_product, create_product, lock_products
from backend.catalog.products.variants import CODES, variants_of
from backend.catalog.schemas import cell_parsers
from backend.catalog.schemas.product_fields import FIELDS, METADATA_FIELDS
from backend.core.db.database import locked
from backend.core.db.tables import table_of
from backend.core.errors import Conflict, InvalidData, NotAllowed, NotFound
from backend.core.texts import _
from backend.inventory.movements import MOST_UNITS, Reason, StockMoved, Why
from backend.media.picture_urls import is_picture_address
from backend.media.picture_widths import uploaded_at
from backend.media.videos import VIDEO, video_at
from backend.office.products.draft import (
    KEPT_IN_METADATA,
    MEASURES,
    NEW,
    TEXTS,
    Clash,
    Draft,
    VariantDraft,
    measure_of,
    merged,
    pesos_of,
    problems_in,
    tidied,
)
from backend.office.products.editor import PUBLISHED, Base, draft_of
from backend.staff.rights import Actor, Right
from backend.warehouse.service import ReservedForOrders, correct

HIDDEN = "draft"
OF_COLUMNS = ("title", "subtitle", "description", "material", "origin_country", "warnings", "handle")
"""The fields that are stored in a column as they are typed."""
OF_METADATA = {
    **{key: field.column for key, field in METADATA_FIELDS.items()},
    **dict(zip(KEPT_IN_METADATA, KEPT_IN_METADATA, strict=True)),
}
Command = TypeVar("Command", bound=ChangeProduct)
LONGEST_NUMBER = 10
"""Characters at the end of an address that tell toys of one title apart."""
RESERVED = _("Hay unidades apartadas de una presentación que quitaste: todavía no se puede borrar.")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody saves. `units`: how many came by the key of the variant, or (negative) left."""

    base: Base
    draft: Draft
    units: dict[str, int]
    location_id: str


class FormRefused(InvalidData):
    """What was typed cannot be saved; `fields` has the problems by field."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__("The form has problems", fields=fields)


class FormClashes(Conflict):
    """Others changed the same values since the form was shown."""

    def __init__(self, clashes: Sequence[Clash]) -> None:
        super().__init__("Others changed the same: " + ", ".join(one.name for one in clashes))
        self.clashes = clashes


async def save_form(session: AsyncSession, actor: Actor, wanted: Wanted) -> str:
    """Save what the form holds: all of it, or nothing.

    Returns:
        The toy's id.

    Raises:
        NotFound: the toy, its new collection or a new category is gone.
        FormRefused: something is wrong, or a code or the address is another toy's.
        FormClashes: others changed the same.
        Conflict: others change the same at this moment.
    """
    actor.require(Right.CHANGE_CATALOG)
    try:
        async with session.begin_nested():
            return await _save(session, actor, wanted)
    except IntegrityError:  # two at once, and the other was first: now it is seen what they saved
        try:
            async with session.begin_nested():
                return await _save(session, actor, wanted)
        except IntegrityError as error:
            raise Conflict("Others change the same at this moment") from error


async def _save(session: AsyncSession, actor: Actor, wanted: Wanted) -> str:
    mine, before = tidied(wanted.draft), tidied(wanted.base.draft)
    product_id = wanted.base.id
    await _lock_places(session, before, mine)
    product = next(iter(await lock_products(session, [product_id])), None)
    if wanted.base.is_new:
        if product is not None:
            return product_id  # sent twice
        draft = await _with_handle(session, mine)
        await _check(session, product_id, draft, None)
        new = replace(_command(CreateProduct, draft, None), id=product_id)
        await create_product(session, actor, new)
        await _set_places(session, actor, product_id, None, draft)
    else:
        if product is None:
            raise NotFound(f'Product with id "{product_id}" not found')
        theirs = tidied(await draft_of(session, product))
        draft, clashes = merged(before, mine, theirs)
        if clashes:
            raise FormClashes(clashes)
        await _check(session, product_id, draft, theirs)
        change = _command(ChangeProduct, draft, theirs, product.thumbnail)
        if change != ChangeProduct():
            change = await _with_options(session, product_id, change, (theirs, draft))
            try:
                await change_product(session, actor, product_id, change)
            except NotAllowed:
                raise FormRefused({"variants": RESERVED}) from None
        await _set_places(session, actor, product_id, theirs, draft)
    await _move_units(session, actor, wanted, draft)
    await session.flush()
    return product_id


async def _lock_places(session: AsyncSession, before: Draft, mine: Draft) -> None:
    """Lock the collection and the categories that the toy is put into, in the order in which all do: before the toy.

    Raises:
        NotFound: one of them is gone.
    """
    collection_id = mine.texts["collection_id"]
    if collection_id and collection_id != before.texts["collection_id"]:
        await find_collection(session, collection_id, lock=True)
    new = sorted(set(mine.categories) - set(before.categories))
    if new:
        query = select(Category.id).where(Category.id.in_(new)).order_by(Category.id)
        if len((await session.execute(locked(query))).all()) < len(new):
            raise NotFound("One of the categories was deleted")


async def _with_handle(session: AsyncSession, draft: Draft) -> Draft:
    """A new toy with an address: the first free one that its title gives, unless one was typed."""
    if draft.texts["handle"]:
        return draft
    wanted = handle_from(draft.texts["title"]) or "juguete"
    stem = wanted[: LONGEST_HANDLE - LONGEST_NUMBER]
    alike = select(Product.handle).where(Product.handle.startswith(stem, autoescape=True))
    taken = set((await session.execute(alike)).scalars())
    handle, number = wanted, 1
    while handle in taken:
        number += 1
        ending = f"-{number}"
        handle = wanted[: LONGEST_HANDLE - len(ending)].rstrip("-") + ending
    return replace(draft, texts={**draft.texts, "handle": handle})


async def _check(session: AsyncSession, product_id: str, draft: Draft, theirs: Draft | None) -> None:
    """Refuse what cannot be saved.

    Raises:
        FormRefused: see there.
    """
    problems = problems_in(draft, theirs)
    known = {one.url for one in theirs.pictures} if theirs else set()
    usable = {url for url in known if is_picture_address(url)}
    is_changed = theirs is None or draft.pictures != theirs.pictures
    if is_changed and any(one.url not in usable and uploaded_at(one.url) is None for one in draft.pictures):
        problems["pictures"] = _("Una de las fotos no es de la tienda. Súbela otra vez.")
    video = draft.texts[VIDEO]
    if video and video_at(video) is None and video != (theirs.texts[VIDEO] if theirs else ""):
        problems[VIDEO] = _("El video no es de la tienda. Súbelo otra vez.")
    owner = select(Product.id).where(Product.handle == draft.texts["handle"], Product.id != product_id)
    if (await session.execute(owner)).first():
        problems["handle"] = _("Otro juguete tiene esta dirección.")
    for name in sorted(CODES):
        column = getattr(Variant, name)
        keys = {getattr(one, name): one.key for one in draft.variants if getattr(one, name)}
        others = select(column, Product.title).join(Product, Product.id == Variant.product_id)
        others = others.where(column.in_(keys), Variant.product_id != product_id)
        for code, title in (await session.execute(others)).all():
            problems[f"{name}-{keys[code]}"] = _("Lo tiene «{toy}».").format(toy=title)
    if problems:
        raise FormRefused(problems)


def _command(
    kind: type[Command], draft: Draft, theirs: Draft | None, thumbnail: str | None = None
) -> Command:
    """Return the command that makes the toy what the form says; of what is saved, only what differs."""
    texts = draft.texts
    changed = {name for name in TEXTS if theirs is None or texts[name] != theirs.texts[name]}
    fields: dict[str, Any] = {
        name: texts[name] or FIELDS[name].null for name in OF_COLUMNS if name in changed
    }
    fields |= {name: measure_of(texts[name], most) for name, most in MEASURES.items() if name in changed}
    if texts["origin_country"] and "origin_country" in changed:
        fields["origin_country"] = cell_parsers.country(texts["origin_country"])
    if "tax_rate" in changed:
        fields["tax_rate"] = int(texts["tax_rate"])
    if theirs is None or draft.is_published != theirs.is_published:
        fields["status"] = PUBLISHED if draft.is_published else HIDDEN
    if theirs is None or draft.is_featured != theirs.is_featured:
        fields["featured"] = draft.is_featured
    pictures = variants = None
    if theirs is None or draft.pictures != theirs.pictures:
        known = {one.url for one in theirs.pictures} if theirs else set()
        urls = [one.url for one in draft.pictures]
        pictures = [
            WritePicture(url=one.url, alt=one.alt if one.alt or one.url in known else None)
            for one in draft.pictures
        ]
        was_first = theirs is not None and [thumbnail] == [one.url for one in theirs.pictures[:1]]
        if thumbnail not in urls or was_first:
            fields["thumbnail"] = urls[0] if urls else None
    if theirs is None or draft.variants != theirs.variants:
        variants = [_variant(one, rank) for rank, one in enumerate(draft.variants)]
    metadata = {key: texts[name] for key, name in OF_METADATA.items() if name in changed}
    return kind(fields=fields, metadata=metadata, pictures=pictures, variants=variants)


def _variant(one: VariantDraft, rank: int) -> WriteVariant:
    return WriteVariant(
        id=None if one.key.startswith(NEW) else one.key,
        title=one.title,
        sku=one.sku,
        ean=one.ean,
        price=pesos_of(one.price) or 0,
        compare_at_price=pesos_of(one.before),
        is_free=bool(one.is_free),
        rank=rank,
    )


async def _with_options(
    session: AsyncSession, product_id: str, change: ChangeProduct, drafts: tuple[Draft, Draft]
) -> ChangeProduct:
    """Add the options to the change of a toy that has some: a new title such as `M / Rojo` names the variant's values.

    Titles with more or fewer parts say nothing of them, and neither do titles that are alike.

    Raises:
        FormRefused: a new title names the values that another variant has.
    """
    theirs, draft = drafts
    variants = list(change.variants or ())
    known_titles = {one.key: one.title for one in theirs.variants}
    options = (await options_of(session, [product_id])).get(product_id, [])
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
    stored = await values_of_variants(session, [product_id])
    has = {
        variant_id: {option.row.title: of[option.row.id].value for option in options if option.row.id in of}
        for variant_id, of in stored.items()
    }
    chosen = [one.options or has.get(one.id or "") for one in variants]
    problems = {
        f"title-{new.key}": _("«{variant}» tiene ya estas opciones.").format(variant=other.title)
        for new, variant, wanted in zip(draft.variants, variants, chosen, strict=True)
        for other, its in zip(draft.variants, chosen, strict=True)
        if variant.options and other is not new and its == wanted
    }
    if problems:
        raise FormRefused(problems)
    return replace(
        change, variants=variants, options=[SaidOption(title, known) for title, known in values.items()]
    )


async def _set_places(
    session: AsyncSession, actor: Actor, product_id: str, theirs: Draft | None, draft: Draft
) -> None:
    """Put the toy into its categories and its collection; the entry has their names."""
    before = set(theirs.categories) if theirs else set()
    new, gone = set(draft.categories) - before, before - set(draft.categories)
    collection_id = draft.texts["collection_id"]
    old_collection = theirs.texts["collection_id"] if theirs else ""
    if not new and not gone and collection_id == old_collection:
        return
    names = dict((await session.execute(select(Category.id, Category.name))).all())
    titles = dict((await session.execute(select(Collection.id, Collection.title))).all())
    named = [sorted(names.get(one, one) for one in ids) for ids in (before, before - gone | new)]
    changes: dict[str, Change] = {
        "categories": (named[0], named[1]),
        "collection": (titles.get(old_collection), titles.get(collection_id)),
    }
    await record(session, actor, "changed", Subject(Thing.PRODUCT, product_id), changes)
    links = table_of(ProductCategory)
    if new:
        rows = [{"product_id": product_id, "category_id": one} for one in sorted(new)]
        await session.execute(insert(links), rows)
    if gone:
        await session.execute(
            delete(links).where(links.c.product_id == product_id, links.c.category_id.in_(gone))
        )
    if collection_id != old_collection:
        products = table_of(Product)
        await session.execute(
            update(products).where(products.c.id == product_id).values(collection_id=collection_id or None)
        )
    await products_changed(session, [product_id])


async def _move_units(session: AsyncSession, actor: Actor, wanted: Wanted, draft: Draft) -> None:
    """Add the units that came. The number stocked before is that of the form: sent twice, they come once.

    Raises:
        FormRefused: they cannot be moved, or there is no such location.
        FormClashes: others moved units since the form was shown.
    """
    if not any(wanted.units.values()):
        return
    ids = {
        one.key: saved.id
        for one, saved in zip(draft.variants, await variants_of(session, wanted.base.id), strict=True)
    }
    for key, units in sorted(wanted.units.items(), key=lambda one: ids.get(one[0], "")):
        if not units or key not in ids:
            continue
        row = (ids[key], wanted.location_id)
        seen = wanted.base.stocked.get("|".join(row), 0)
        if not 0 <= seen + units <= MOST_UNITS:
            raise FormRefused({f"units-{key}": _("Hay {n}: no quedarían tantas.").format(n=seen)})
        why = Why(Reason.RECEIVED if units > 0 else Reason.CORRECTION, actor)
        try:
            await correct(session, actor, row, seen + units, why, seen=seen)
        except StockMoved as error:
            raise FormClashes([Clash(f"units-{key}", f"{units:+}", str(error.stocked))]) from None
        except ReservedForOrders as error:
            raise FormRefused({f"units-{key}": error.text}) from None
        except NotFound:
            raise FormRefused({f"units-{key}": _("Elige dónde están.")}) from None
