"""Views of bulk changes of products: a preview, the progress of recent changes, and the products left unchanged."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.bulk.change_job import parse_change
from backend.catalog.bulk.changes import CATEGORIES, Action, Change, ChangedValue, Problem
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import MAX_UNDOABLE_CHANGES, Selection, preview_bulk_change
from backend.catalog.category_tree import read_tree
from backend.catalog.models import Category, Collection, Product
from backend.core.dates import time_label
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.products.listing import Price, price_label
from backend.staff.models import Staff
from backend.staff.rights import Actor, Right

MAX_PROBLEMS = 20
ACTIONS: dict[Action, str] = {
    Action.PUBLISH: _("Publicar"),
    Action.HIDE: _("Ocultar"),
    Action.ADD_TO_CATEGORY: _("Poner en una categoría"),
    Action.REMOVE_FROM_CATEGORY: _("Quitar de una categoría"),
    Action.COLLECTION: _("Poner en una colección"),
    Action.FEATURE: _("Destacar"),
    Action.UNFEATURE: _("Dejar de destacar"),
    Action.SALE: _("Poner en oferta"),
    Action.END_SALE: _("Terminar la oferta"),
    Action.PRICES: _("Subir o bajar precios"),
}
PROBLEMS: dict[str, str] = {
    Problem.GONE: _("ya no existe"),
    Problem.NO_PRICE: _("no tiene precio"),
    Problem.NOT_LOWER: _("con ese porcentaje el precio no queda bien"),
    Problem.TOO_DEAR: _("el precio sería demasiado alto"),
    Problem.CHANGED_SINCE: _("alguien lo cambió después"),
    Problem.NO_TARGET: _("la categoría o la colección ya no existe"),
    Problem.FAILED: _("algo falló de nuestro lado"),
}
STATUS_LABELS: dict[str, str] = {
    BulkStatus.RUNNING: _("cambiando…"),
    BulkStatus.DONE: _("hecho"),
    BulkStatus.UNDOING: _("deshaciendo…"),
    BulkStatus.UNDONE: _("deshecho"),
}


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A product in a preview, with its value before and after; or the reason why it would not change."""

    title: str
    before: str
    after: str
    problem: str


@dataclass(frozen=True, slots=True)
class PreviewView:
    """Preview of a bulk change.

    Attributes:
        seen_at: the time of the preview, in ISO 8601.
        changed: number of products that would change.
        total_label: sum of the changing prices before and after; empty if no price changes.
        notes: number of products that need no change, and numbers of refused products with the reasons.
    """

    seen_at: str
    changed: int
    total_label: str
    notes: list[str]
    examples: list[ExampleView]


@dataclass(frozen=True, slots=True)
class UnchangedProduct:
    """A product that a bulk change left unchanged, or whose change could not be undone, with the reason."""

    product_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BulkView:
    """A started bulk change.

    Attributes:
        finished: number of the `total` products that are finished.
        result_label: numbers of products by result, in words.
    """

    id: str
    label: str
    about: str
    status: str
    is_moving: bool
    can_be_undone: bool
    total: int
    finished: int
    result_label: str
    unchanged: list[UnchangedProduct]


@dataclass(frozen=True, slots=True)
class TargetOption:
    """A collection to which products can be moved."""

    handle: str
    label: str


async def parse_change_form(
    session: AsyncSession, action: str, target: str, percent: int, step: int
) -> Change:
    """Parse the form of a bulk change. `target` is the handle of the category or the collection.

    Raises:
        InvalidData: the action, the target or a number is invalid.
    """
    if action not in tuple(Action):
        raise InvalidData("unknown action")
    named = Action(action)
    place = ""
    if named in CATEGORIES:
        category = (await read_tree(session)).by_handle.get(target)
        place = category.id if category else ""
    elif named is Action.COLLECTION and target:
        known = select(Collection.id).where(Collection.handle == target)
        place = (await session.execute(known)).scalar_one_or_none() or ""
        if not place:
            raise InvalidData("There is no such collection")
    priced = {"percent": percent, "step": step} if named in {Action.SALE, Action.PRICES} else {}
    change = Change(named, place, **priced)
    change.check()
    return change


async def preview_view(
    session: AsyncSession, actor: Actor, change: Change, selection: Selection
) -> PreviewView:
    """Return a preview of the change.

    Raises:
        InvalidData: the change is impossible.
        NotFound: the category or collection does not exist.
    """
    found = await preview_bulk_change(session, actor, change, selection)
    names = dict((await session.execute(select(Collection.id, Collection.title))).all())
    notes = [_("Ya están así: {n}.").format(n=found.unchanged)] if found.unchanged else []
    notes += [
        _("No se cambian {n}: {why}.").format(n=count, why=PROBLEMS[problem])
        for problem, count in sorted(found.refused.items())
    ]
    total = _("En total: de {before} a {after}.")
    return PreviewView(
        seen_at=found.seen_at.isoformat(),
        changed=found.changed,
        total_label=total.format(before=format_cop(found.before), after=format_cop(found.after))
        if found.before
        else "",
        notes=notes,
        examples=[
            ExampleView(
                one.title,
                _value_text(one.value, one.value.before, names) if one.value else "",
                _value_text(one.value, one.value.after, names) if one.value else "",
                PROBLEMS[one.problem] if one.problem else "",
            )
            for one in found.examples
        ],
    )


async def list_bulk_changes(session: AsyncSession, actor: Actor) -> list[BulkView]:
    """Return the recent bulk changes, the newest first; an empty list if the actor may not make bulk changes.

    Raises:
        Forbidden: the actor may not see the catalogue.
    """
    actor.require(Right.READ_CATALOG)
    if not actor.may(Right.CHANGE_CATALOG):
        return []
    newest = (
        select(BulkChange, Staff.email)
        .outerjoin(Staff, Staff.id == BulkChange.actor_id)
        .order_by(BulkChange.created_at.desc(), BulkChange.id.desc())
        .limit(MAX_UNDOABLE_CHANGES)
    )
    found = (await session.execute(newest.execution_options(populate_existing=True))).all()
    ids = [bulk.id for bulk, _email in found]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    counted = (
        select(BulkChangeRow.bulk_change_id, BulkChangeRow.state, func.count())
        .where(BulkChangeRow.bulk_change_id.in_(ids))
        .group_by(BulkChangeRow.bulk_change_id, BulkChangeRow.state)
    )
    for bulk_id, state, count in await session.execute(counted):
        counts[bulk_id][state] = count
    places = dict((await session.execute(select(Category.id, Category.name))).all())
    places |= dict((await session.execute(select(Collection.id, Collection.title))).all())
    return [
        _bulk_view(
            bulk, email or bulk.actor_id, counts[bulk.id], places, await _unchanged_products(session, bulk)
        )
        for bulk, email in found
    ]


async def collection_options(session: AsyncSession) -> list[TargetOption]:
    """Return all collections to which products can be moved, sorted by title."""
    found = await session.execute(select(Collection.handle, Collection.title).order_by(Collection.title))
    return [TargetOption(*one) for one in found]


async def _unchanged_products(session: AsyncSession, bulk: BulkChange) -> list[UnchangedProduct]:
    query = (
        select(BulkChangeRow.product_id, Product.title, BulkChangeRow.problem)
        .outerjoin(Product, Product.id == BulkChangeRow.product_id)
        .where(
            BulkChangeRow.bulk_change_id == bulk.id,
            BulkChangeRow.state.in_([RowState.REFUSED, RowState.KEPT]),
        )
        .order_by(BulkChangeRow.state, BulkChangeRow.product_id)
        .limit(MAX_PROBLEMS)
    )
    return [
        UnchangedProduct(product_id, title or product_id, PROBLEMS.get(problem, problem))
        for product_id, title, problem in await session.execute(query)
    ]


def _bulk_view(
    bulk: BulkChange,
    actor_name: str,
    counts: Counter[str],
    places: dict[str, str],
    left_alone: Sequence[UnchangedProduct],
) -> BulkView:
    change = parse_change(bulk)
    waits = RowState.CHANGED if bulk.status == BulkStatus.UNDOING else RowState.WAITING
    labels = {
        RowState.CHANGED: _("cambiados: {n}"),
        RowState.UNCHANGED: _("ya estaban así: {n}"),
        RowState.REFUSED: _("no se cambiaron: {n}"),
        RowState.UNDONE: _("deshechos: {n}"),
        RowState.KEPT: _("quedan como están, porque alguien los cambió después: {n}"),
    }
    return BulkView(
        id=bulk.id,
        label=_change_label(change, places),
        about=f"{actor_name} · {time_label(bulk.created_at)}",
        status=STATUS_LABELS[bulk.status],
        is_moving=bulk.status in {BulkStatus.RUNNING, BulkStatus.UNDOING},
        can_be_undone=bulk.status == BulkStatus.DONE and counts[RowState.CHANGED] > 0,
        total=bulk.total,
        finished=bulk.total - counts[waits],
        result_label=" · ".join(
            text.format(n=counts[state]) for state, text in labels.items() if counts[state]
        ),
        unchanged=list(left_alone),
    )


def _change_label(change: Change, places: dict[str, str]) -> str:
    if change.action is Action.SALE:
        return _("Oferta de −{n} %").format(n=change.percent)
    if change.action is Action.PRICES:
        sign = "+" if change.percent > 0 else "−"
        return _("Precios {sign}{n} %").format(sign=sign, n=abs(change.percent))
    place = places.get(change.target, "")
    return f"{ACTIONS[change.action]}: {place}" if place else ACTIONS[change.action]


def _value_text(value: ChangedValue, content: Any, collections: dict[str, str]) -> str:
    match value.field:
        case "price":
            return price_label(Price(*content))
        case "status":
            return _("publicado") if content == "published" else _("oculto")
        case "collection_id":
            return collections.get(content, "") or _("sin colección")
        case "category":
            return _("está") if content else _("no está")
    return _("sí") if content else _("no")
