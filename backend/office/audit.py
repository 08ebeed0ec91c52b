"""Who did what, for people: a list with filters, the history of one thing, and the same as a file."""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry, AuditPersonalValue, Thing
from backend.catalog.models import Category, Collection, Product, SalesChannel, Variant
from backend.cursors import cursor_at, read_cursor
from backend.database import Database
from backend.dates import TIME_ZONE, day_begin, time_label
from backend.errors import InvalidData
from backend.money import format_cop
from backend.orders.models import Order
from backend.shipping.models import ShippingOption, StockLocation
from backend.spreadsheet import BYTE_ORDER_MARK, lines
from backend.staff.models import SecretKey, Staff
from backend.staff.rights import COMMAND_LINE, ROLE_NAMES, SHOP, Actor, Right, Role
from backend.staff.secret_keys import key_names
from backend.texts import _

MOST_ROWS = 40
AT_ONCE = 500
"""Entries that are read at a time for a file."""
LONGEST = 200
"""Characters of a value that the list shows."""

ACTIONS = {
    "address corrected": _("corrigió la dirección de"),
    "bulk change begun": _("empezó a cambiar varios juguetes en"),
    "bulk change undone": _("empezó a deshacer un cambio de varios juguetes en"),
    "canceled": _("canceló"),
    "changed": _("cambió"),
    "created": _("creó"),
    "deleted": _("borró"),
    "delivered": _("marcó como entregado"),
    "imported": _("importó un archivo en"),
    "invitation revoked": _("retiró la invitación de"),
    "invitation sent again": _("volvió a enviar la invitación de"),
    "invited": _("invitó a"),
    "joined": _("aceptó una invitación y abrió"),
    "label canceled": _("anuló la guía de"),
    "label requested": _("pidió la guía de"),
    "mail sent again": _("envió otra vez un correo de"),
    "noted": _("escribió una nota en"),
    "packed": _("empacó"),
    "password changed": _("cambió la contraseña de"),
    "payment reported": _("hizo consultar"),
    "personal values deleted": _("borró datos personales de la auditoría de"),
    "products assigned": _("puso o quitó productos en"),
    "providers linked": _("cambió las transportadoras de"),
    "refunded": _("devolvió dinero de"),
    "resolved": _("resolvió un pendiente de"),
    "revoked": _("revocó"),
    "sales channels linked": _("cambió los canales de"),
    "second factor begun": _("empezó a activar el código de"),
    "second factor set up": _("activó el código de"),
    "second factor taken": _("quitó el código de"),
    "second factor tried": _("usó el código de"),
    "second factor turned off": _("desactivó el código de"),
    "session ended": _("cerró la sesión de"),
    "shipped": _("despachó"),
    "stock changed": _("cambió las unidades de"),
    "unpacked": _("desempacó"),
    "variant added": _("agregó una presentación a"),
    "variant changed": _("cambió una presentación de"),
    "variant deleted": _("borró una presentación de"),
}
THINGS = {
    Thing.API_KEY: _("la llave {name}"),
    Thing.ATTENTION: _("un pendiente"),
    Thing.CATALOG: _("el catálogo"),
    Thing.CATEGORY: _("la categoría {name}"),
    Thing.COLLECTION: _("la colección {name}"),
    Thing.CUSTOMER: _("un cliente"),
    Thing.FULFILLMENT_SET: _("las entregas de una bodega"),
    Thing.INVITATION: _("una persona nueva"),
    Thing.LOCATION: _("la bodega {name}"),
    Thing.ORDER: _("el pedido {name}"),
    Thing.PAYMENT: _("un pago"),
    Thing.PRODUCT: _("el juguete {name}"),
    Thing.REGION: _("la región"),
    Thing.SALES_CHANNEL: _("el canal {name}"),
    Thing.SERVICE_ZONE: _("una zona de entrega"),
    Thing.SETTINGS: _("los datos de la tienda"),
    Thing.SHIPPING_OPTION: _("el envío {name}"),
    Thing.STAFF: _("la cuenta {name}"),
    Thing.VARIANT: _("el juguete {name}"),
}
FIELDS = {
    "age_range": _("Edad"),
    "alt": _("Texto de la foto"),
    "brand": _("Marca"),
    "canceled_at": _("Cancelado"),
    "categories": _("Categorías"),
    "collection": _("Colección"),
    "category": _("Categoría"),
    "collection_id": _("Colección"),
    "compare_at_price": _("Precio anterior"),
    "deleted_at": _("Borrado"),
    "description": _("Descripción"),
    "disabled_at": _("Sin acceso desde"),
    "ean": _("Código de barras"),
    "email": _("Correo"),
    "expires_at": _("Vence"),
    "featured": _("Destacado"),
    "fulfillment_status": _("Despacho"),
    "handle": _("Dirección"),
    "height": _("Alto"),
    "length": _("Largo"),
    "material": _("Material"),
    "name": _("Nombre"),
    "note": _("Nota"),
    "origin_country": _("Hecho en"),
    "password_hash": _("Contraseña"),
    "percent": _("Porcentaje"),
    "payment_status": _("Pago"),
    "price": _("Precio"),
    "products": _("Productos"),
    "products added": _("Productos que entraron"),
    "products removed": _("Productos que salieron"),
    "quantity": _("Cantidad"),
    "rank": _("Orden"),
    "reserved": _("Apartadas"),
    "resolution": _("Decisión"),
    "role": _("Rol"),
    "sent_at": _("Enviado"),
    "shipping_address": _("Dirección de entrega"),
    "sku": _("Código"),
    "state": _("Estado de la guía"),
    "status": _("Estado"),
    "subtitle": _("Frase corta"),
    "stocked": _("Unidades"),
    "tax_rate": _("IVA"),
    "thumbnail": _("Foto principal"),
    "title": _("Título"),
    "token_hash": _("Enlace"),
    "tracking_number": _("Guía"),
    "url": _("Foto"),
    "value": _("Valor"),
    "warnings": _("Advertencias"),
    "weight": _("Peso"),
    "width": _("Ancho"),
}
MONEY = frozenset({"amount", "compare_at_price", "price", "total"})
NAMED: dict[str, tuple[Any, Any]] = {
    Thing.CATEGORY: (Category.id, Category.name),
    Thing.API_KEY: (SecretKey.id, SecretKey.title),
    Thing.COLLECTION: (Collection.id, Collection.title),
    Thing.LOCATION: (StockLocation.id, StockLocation.name),
    Thing.ORDER: (Order.id, Order.number),
    Thing.PRODUCT: (Product.id, Product.title),
    Thing.SALES_CHANNEL: (SalesChannel.id, SalesChannel.name),
    Thing.SHIPPING_OPTION: (ShippingOption.id, ShippingOption.name),
    Thing.STAFF: (Staff.id, Staff.email),
}
"""Where the name of a thing stands, by the type of subject."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A field, and what it was before and after; both are empty where that is not kept or was deleted."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry. `sentence` says who did what; `subject` is the id that the list can be narrowed to."""

    id: str
    who: str
    actor_id: str
    sentence: str
    subject: str
    moment_label: str
    changes: list[ChangeView]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may have done something."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries, the newest first; `cursor` reads the next ones and is empty when there are none."""

    rows: list[AuditRow]
    cursor: str = ""
    people: list[Person] | None = None
    """Who the list can be narrowed to."""


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What is wanted: entries of one person, on one thing, and of these days in Colombia, both included."""

    actor_id: str = ""
    subject_id: str = ""
    since: str = ""
    until: str = ""


async def audit_entries(
    session: AsyncSession, actor: Actor, wanted: AuditFilter, cursor: str = ""
) -> AuditPage:
    """Who did what, the newest first.

    Raises:
        Forbidden: the actor may not see it.
        InvalidData: the cursor or a day is none.
    """
    actor.require(Right.READ_AUDIT)
    found = await _read(session, wanted, cursor, MOST_ROWS + 1)
    rows = await _rows(session, found[:MOST_ROWS])
    following = _after(found[MOST_ROWS - 1]) if len(found) > MOST_ROWS else ""
    people = (await session.execute(select(Staff.id, Staff.email).order_by(Staff.email))).all()
    known = [Person(one, email) for one, email in people]
    return AuditPage(rows, following, [*known, *(Person(one, name) for one, name in MACHINES.items())])


async def audit_file(database: Database, actor: Actor, wanted: AuditFilter) -> AsyncIterator[str]:
    """The entries as a file for a spreadsheet, piece by piece; without personal values.

    Raises:
        Forbidden: the actor may not see them.
        InvalidData: a day is none.
    """
    actor.require(Right.READ_AUDIT)
    _days(wanted)
    yield BYTE_ORDER_MARK + lines(
        [("id", "when", "who", "did", "thing", "thing_id", "field", "before", "after")]
    )
    cursor = ""
    while True:
        async with database.read() as session:
            found = await _read(session, wanted, cursor, AT_ONCE)
            people = await _people(session, {entry.actor_id for entry in found})
        yield lines(line for entry in found for line in _lines(entry, people))
        if len(found) < AT_ONCE:
            return
        cursor = _after(found[-1])


MACHINES = {COMMAND_LINE.id: _("Línea de comandos"), SHOP.id: _("La tienda, sola")}


def _lines(entry: AuditEntry, people: dict[str, str]) -> Iterable[tuple[object, ...]]:
    head = (
        entry.id,
        entry.created_at.astimezone(TIME_ZONE).isoformat(timespec="seconds"),
        people.get(entry.actor_id, entry.actor_id),
        entry.action,
        entry.subject_type,
        entry.subject_id,
    )
    for change in entry.changes or [{}]:
        name = " ".join(filter(None, (change.get("on"), change.get("field"))))
        yield (*head, name, _cell(change.get("before")), _cell(change.get("after")))


def _cell(value: Any) -> object:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)


async def _read(session: AsyncSession, wanted: AuditFilter, cursor: str, limit: int) -> Sequence[AuditEntry]:
    query = select(AuditEntry)
    if wanted.actor_id:
        query = query.where(AuditEntry.actor_id == wanted.actor_id)
    if wanted.subject_id:
        query = query.where(AuditEntry.subject_id == wanted.subject_id)
    since, before = _days(wanted)
    if since is not None:
        query = query.where(AuditEntry.created_at >= since)
    if before is not None:
        query = query.where(AuditEntry.created_at < before)
    if cursor:
        query = query.where(tuple_(AuditEntry.created_at, AuditEntry.id) < read_cursor(cursor))
    return (await session.execute(_newest(query).limit(limit))).scalars().all()


def _newest(query: Select[AuditEntry]) -> Select[AuditEntry]:
    return query.order_by(AuditEntry.created_at.desc(), AuditEntry.id.desc())


def _days(wanted: AuditFilter) -> tuple[datetime | None, datetime | None]:
    """The moments from which and before which an entry counts."""
    try:
        since = date.fromisoformat(wanted.since) if wanted.since else None
        until = date.fromisoformat(wanted.until) + timedelta(days=1) if wanted.until else None
    except (ValueError, OverflowError):
        raise InvalidData("A day is written YYYY-MM-DD") from None
    return (day_begin(since) if since else None, day_begin(until) if until else None)


def _after(entry: AuditEntry) -> str:
    return cursor_at(entry.created_at, entry.id)


async def _rows(session: AsyncSession, entries: Sequence[AuditEntry]) -> list[AuditRow]:
    names = await _names(session, entries)
    people = await _people(session, {entry.actor_id for entry in entries})
    personal: dict[tuple[str, int], tuple[Any, Any]] = {}
    kept = select(AuditPersonalValue).where(AuditPersonalValue.entry_id.in_([entry.id for entry in entries]))
    for value in (await session.execute(kept)).scalars():
        personal[value.entry_id, value.place] = (value.before, value.after)
    rows = []
    for entry in entries:
        who = people.get(entry.actor_id, entry.actor_id)
        rows.append(
            AuditRow(
                id=entry.id,
                who=who,
                actor_id=entry.actor_id,
                sentence=f"{ACTIONS.get(entry.action, entry.action)} {_thing(entry, names)}",
                subject=entry.subject_id,
                moment_label=time_label(entry.created_at),
                changes=[
                    _change(change, personal.get((entry.id, place)))
                    for place, change in enumerate(entry.changes)
                ],
            )
        )
    return rows


def _thing(entry: AuditEntry, names: dict[tuple[str, str], str]) -> str:
    text = THINGS.get(Thing(entry.subject_type)) if entry.subject_type in tuple(Thing) else None
    name = names.get((entry.subject_type, entry.subject_id), entry.subject_id)
    return (text or entry.subject_type).format(name=name)


def _change(change: dict[str, Any], personal: tuple[Any, Any] | None) -> ChangeView:
    name = change["field"]
    before, after = personal or (change.get("before"), change.get("after"))
    return ChangeView(FIELDS.get(name, name), _value(name, before), _value(name, after))


def _value(name: str, value: Any) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return _("sí") if value else _("no")
    if name in MONEY and isinstance(value, int):
        return format_cop(value)
    if name == "role" and value in tuple(Role):
        return ROLE_NAMES[Role(value)]
    if name.endswith("_at") and isinstance(value, str):
        return time_label(datetime.fromisoformat(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


async def _people(session: AsyncSession, ids: set[str]) -> dict[str, str]:
    found = await session.execute(select(Staff.id, Staff.email).where(Staff.id.in_(ids)))
    return {**MACHINES, **dict(found.all()), **await key_names(session, ids)}


async def _names(session: AsyncSession, entries: Sequence[AuditEntry]) -> dict[tuple[str, str], str]:
    ids: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        ids[entry.subject_type].add(entry.subject_id)
    names: dict[tuple[str, str], str] = {}
    for kind, (key, name) in NAMED.items():
        if wanted := ids.get(kind):
            found = await session.execute(select(key, name).where(key.in_(wanted)))
            names.update({(kind, one): str(said) for one, said in found})
    if wanted := ids.get(Thing.VARIANT):
        titles = select(Variant.id, Product.title).join(Product, Product.id == Variant.product_id)
        found = await session.execute(titles.where(Variant.id.in_(wanted)))
        names.update({(Thing.VARIANT, one): title for one, title in found})
    return names
