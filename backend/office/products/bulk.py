"""Changes of many products, for people: what one would do, how the last ones stand, and what was left alone."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.bulk.change_job import change_of
from backend.catalog.bulk.changes import CATEGORIES, Action, Change, Problem, Value
from backend.catalog.bulk.models import BulkChange, BulkChangeRow, BulkStatus, RowState
from backend.catalog.bulk.service import MOST_KEPT, Selection, preview
from backend.catalog.category_tree import read_tree
from backend.catalog.models import Category, Collection, Product
from backend.core.dates import time_label
from backend.core.errors import InvalidData
from backend.core.money import format_cop
from backend.core.texts import _
from backend.office.products.listing import Price, price_label
from backend.staff.models import Staff
from backend.staff.rights import Actor, Right

MOST_PROBLEMS = 20
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
STATUS_WORDS: dict[str, str] = {
    BulkStatus.RUNNING: _("cambiando…"),
    BulkStatus.DONE: _("hecho"),
    BulkStatus.UNDOING: _("deshaciendo…"),
    BulkStatus.UNDONE: _("deshecho"),
}


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A product that would be changed: from what to what; or why it would not."""

    title: str
    before: str
    after: str
    problem: str


@dataclass(frozen=True, slots=True)
class PreviewView:
    """What a change would do.

    Attributes:
        seen_at: of which moment this is, in ISO 8601.
        changed: how many products it would change.
        total_label: what the prices that change add up to, before and after; empty where none change.
        notes: how many are as wished already, and how many are refused and why.
    """

    seen_at: str
    changed: int
    total_label: str
    notes: list[str]
    examples: list[ExampleView]


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A product that was not changed, or not undone, and why."""

    product_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BulkView:
    """A change of many products that was begun.

    Attributes:
        settled: how many of its `total` products are done with.
        counted: what came of them, in words.
    """

    id: str
    label: str
    about: str
    status: str
    is_moving: bool
    can_be_undone: bool
    total: int
    settled: int
    counted: str
    left_alone: list[LeftAlone]


@dataclass(frozen=True, slots=True)
class TargetOption:
    """A collection that products can be put into."""

    handle: str
    label: str


async def change_named(session: AsyncSession, action: str, target: str, percent: int, step: int) -> Change:
    """The change that a form means. `target` is the handle of the category or the collection.

    Raises:
        InvalidData: there is no such action or place, or the numbers are none.
    """
    if action not in tuple(Action):
        raise InvalidData("nothing of that name can be done")
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
    """What the change would do now.

    Raises:
        InvalidData: what is asked for cannot be done.
        NotFound: there is no such category or collection.
    """
    found = await preview(session, actor, change, selection)
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
                _said(one.value, one.value.before, names) if one.value else "",
                _said(one.value, one.value.after, names) if one.value else "",
                PROBLEMS[one.problem] if one.problem else "",
            )
            for one in found.examples
        ],
    )


async def last_changes(session: AsyncSession, actor: Actor) -> list[BulkView]:
    """The last changes of many products, the newest first; none for who may not make any.

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
        .limit(MOST_KEPT)
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
        _bulk(bulk, email or bulk.actor_id, counts[bulk.id], places, await _left_alone(session, bulk))
        for bulk, email in found
    ]


async def collection_options(session: AsyncSession) -> list[TargetOption]:
    """The collections by title."""
    found = await session.execute(select(Collection.handle, Collection.title).order_by(Collection.title))
    return [TargetOption(*one) for one in found]


async def _left_alone(session: AsyncSession, bulk: BulkChange) -> list[LeftAlone]:
    query = (
        select(BulkChangeRow.product_id, Product.title, BulkChangeRow.problem)
        .outerjoin(Product, Product.id == BulkChangeRow.product_id)
        .where(
            BulkChangeRow.bulk_change_id == bulk.id,
            BulkChangeRow.state.in_([RowState.REFUSED, RowState.KEPT]),
        )
        .order_by(BulkChangeRow.state, BulkChangeRow.product_id)
        .limit(MOST_PROBLEMS)
    )
    return [
        LeftAlone(product_id, title or product_id, PROBLEMS.get(problem, problem))
        for product_id, title, problem in await session.execute(query)
    ]


def _bulk(
    bulk: BulkChange,
    who: str,
    counts: Counter[str],
    places: dict[str, str],
    left_alone: Sequence[LeftAlone],
) -> BulkView:
    change = change_of(bulk)
    waits = RowState.CHANGED if bulk.status == BulkStatus.UNDOING else RowState.WAITING
    said = {
        RowState.CHANGED: _("cambiados: {n}"),
        RowState.UNCHANGED: _("ya estaban así: {n}"),
        RowState.REFUSED: _("no se cambiaron: {n}"),
        RowState.UNDONE: _("deshechos: {n}"),
        RowState.KEPT: _("quedan como están, porque alguien los cambió después: {n}"),
    }
    return BulkView(
        id=bulk.id,
        label=_label(change, places),
        about=f"{who} · {time_label(bulk.created_at)}",
        status=STATUS_WORDS[bulk.status],
        is_moving=bulk.status in {BulkStatus.RUNNING, BulkStatus.UNDOING},
        can_be_undone=bulk.status == BulkStatus.DONE and counts[RowState.CHANGED] > 0,
        total=bulk.total,
        settled=bulk.total - counts[waits],
        counted=" · ".join(text.format(n=counts[state]) for state, text in said.items() if counts[state]),
        left_alone=list(left_alone),
    )


def _label(change: Change, places: dict[str, str]) -> str:
    if change.action is Action.SALE:
        return _("Oferta de −{n} %").format(n=change.percent)
    if change.action is Action.PRICES:
        sign = "+" if change.percent > 0 else "−"
        return _("Precios {sign}{n} %").format(sign=sign, n=abs(change.percent))
    place = places.get(change.target, "")
    return f"{ACTIONS[change.action]}: {place}" if place else ACTIONS[change.action]


def _said(value: Value, what: Any, collections: dict[str, str]) -> str:
    match value.field:
        case "price":
            return price_label(Price(*what))
        case "status":
            return _("publicado") if what == "published" else _("oculto")
        case "collection_id":
            return collections.get(what, "") or _("sin colección")
        case "category":
            return _("está") if what else _("no está")
    return _("sí") if what else _("no")
