"""One customer as the office shows them: who they are, what they bought and agreed to, and what staff noted."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.dates import date_label, short_time_label
from backend.core.money import format_cop
from backend.core.texts import _
from backend.customers.addresses import addresses_of
from backend.customers.directory import Person, find_person
from backend.customers.models import Customer, CustomerNote, GuestCustomer, Login
from backend.customers.notes import notes_of
from backend.legal.consents import consents_of_person
from backend.office.customer_labels import consent_in_words, document_of, phone_path, whatsapp_path
from backend.office.customers.listing import account_chip, name_of
from backend.office.orders.listing import OrderRow, order_rows
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.orders.states import HAS_MONEY
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.privacy.customer_data import somebody
from backend.privacy.erasure import obstacles
from backend.shipping.addresses import address_lines
from backend.staff.actor_names import names_within
from backend.staff.rights import Actor, Right

MOST_ORDERS = 20
MOST_ADDRESSES = 6
WAYS = {"emailpass": _("Correo y contraseña"), "google": _("Google")}


@dataclass(frozen=True, slots=True)
class NoteView:
    """A note of the staff's."""

    id: str
    text: str
    by: str
    when: str


@dataclass(frozen=True, slots=True)
class PlaceView:
    """An address. `source` says where it is known from."""

    source: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class PersonFields:
    """The fields that staff may correct."""

    first_name: str
    last_name: str
    phone: str


@dataclass(frozen=True, slots=True)
class CustomerDetail:
    """A customer or guest.

    Attributes:
        phone_path, whatsapp_path: what a tap opens; empty where the number is none.
        facts: name and value of what else is known of them.
        orders: the newest; `more_orders` is how many others there are.
        pqrs: number and kind of what they asked by the form, and when.
        others: the same address with, or without, an account: id and how it is called.
        consents: what they agreed to: what, the proof, and the text's SHA-256.
        actions: what may be done now: `change`, `export`, `erase`, and `prove` where only the second
            factor is missing for what can be done with their data.
        obstacles: what must be finished before their data can be deleted, for whoever may do that.
    """

    id: str
    name: str
    email: str
    phone: str
    phone_path: str
    whatsapp_path: str
    chip: ChipView
    fields: PersonFields
    facts: list[tuple[str, str]]
    addresses: list[PlaceView]
    orders: list[OrderRow]
    more_orders: int
    pqrs: list[tuple[str, str]]
    others: list[tuple[str, str]]
    consents: list[tuple[str, str, str]]
    notes: list[NoteView]
    actions: list[str]
    obstacles: list[str]


async def customer_detail(session: AsyncSession, actor: Actor, customer_id: str) -> CustomerDetail:
    """The customer or guest with this id.

    Raises:
        Forbidden: the actor may not see customers.
        NotFound: there is none.
    """
    actor.require(Right.READ_CUSTOMERS)
    person = await find_person(session, customer_id)
    theirs = or_(Order.customer_id == person.id, Order.guest_id == person.id)
    newest = select(Order).where(theirs).order_by(Order.created_at.desc(), Order.number.desc())
    orders = (await session.execute(newest.limit(MOST_ORDERS))).scalars().all()
    count = (await session.execute(select(func.count()).select_from(Order).where(theirs))).scalar_one()
    last = orders[0] if orders else None
    phone = person.phone or (str(last.shipping_address.get("phone") or "") if last else "")
    paid = select(func.sum(Order.total)).where(theirs, Order.payment_status.in_(HAS_MONEY))
    spent = (await session.execute(paid)).scalar_one() or 0
    cart_ids = (await session.execute(select(Order.cart_id).where(theirs))).scalars().all()
    return CustomerDetail(
        id=person.id,
        name=name_of(person.first_name, person.last_name, last, person.email),
        email=person.email,
        phone=phone,
        phone_path=phone_path(phone),
        whatsapp_path=whatsapp_path(phone),
        chip=account_chip(has_account=isinstance(person, Customer)),
        fields=PersonFields(person.first_name, person.last_name, person.phone),
        facts=await _facts(session, person, orders, count, spent),
        addresses=await _places(session, person, orders),
        orders=await order_rows(session, orders),
        more_orders=count - len(orders),
        pqrs=await _pqrs(session, person.email),
        others=await _others(session, person),
        consents=[
            consent_in_words(proof) for proof in await consents_of_person(session, person.id, cart_ids)
        ],
        notes=await _notes(session, await notes_of(session, person.id)),
        actions=_actions(actor),
        obstacles=(
            await obstacles(session, await somebody(session, person.id))
            if actor.may(Right.ERASE_PERSONAL_DATA)
            else []
        ),
    )


def _actions(actor: Actor) -> list[str]:
    may_export = actor.may(Right.EXPORT_PERSONAL_DATA)
    possible = {
        "change": actor.may(Right.CHANGE_CUSTOMERS),
        "export": may_export and actor.has_second_factor,
        "erase": actor.may(Right.ERASE_PERSONAL_DATA) and actor.has_second_factor,
        "prove": may_export and not actor.has_second_factor,
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _facts(
    session: AsyncSession, person: Person, orders: Sequence[Order], count: int, spent: int
) -> list[tuple[str, str]]:
    ways = await session.execute(
        select(Login.provider).where(Login.customer_id == person.id).order_by(Login.provider)
    )
    document = next((text for order in orders if (text := document_of(order.payer))), "")
    facts = (
        (_("Cliente desde"), date_label(person.created_at)),
        (_("Empresa"), person.company_name),
        (_("Documento con que pagó"), document),
        (_("Entra con"), ", ".join(WAYS.get(way, way) for way in ways.scalars())),
        (_("Pedidos"), str(count) if count else ""),
        (_("Ha comprado"), format_cop(spent) if spent else ""),
    )
    return [(name, value) for name, value in facts if value]


async def _places(session: AsyncSession, person: Person, orders: Sequence[Order]) -> list[PlaceView]:
    """Of their address book, and what else orders were sent to; each once."""
    book = await addresses_of(session, person.id) if isinstance(person, Customer) else ()
    known = [
        PlaceView(entry.address_name or _("Libreta de direcciones"), address_lines(entry.address))
        for entry in book
    ]
    known += [
        PlaceView(_("Pedido {number}").format(number=order.number), address_lines(order.shipping_address))
        for order in orders
    ]
    places: list[PlaceView] = []
    for place in known:
        if place.lines and place.lines not in [one.lines for one in places]:
            places.append(place)
    return places[:MOST_ADDRESSES]


async def _pqrs(session: AsyncSession, email: str) -> list[tuple[str, str]]:
    asked = select(Pqrs).where(Pqrs.email == email).order_by(Pqrs.number.desc())
    return [
        (f"{KIND_NAMES[PqrsKind(row.kind)]} {row.number}", short_time_label(row.asked_at))
        for row in (await session.execute(asked)).scalars()
    ]


async def _others(session: AsyncSession, person: Person) -> list[tuple[str, str]]:
    if isinstance(person, Customer):
        other = select(GuestCustomer.id).where(GuestCustomer.email == person.email)
        label = _("También compró sin entrar a su cuenta")
    else:
        other = select(Customer.id).where(Customer.email == person.email)
        label = _("Hay una cuenta con este correo")
    return [(found, label) for found in (await session.execute(other)).scalars()]


async def _notes(session: AsyncSession, notes: Sequence[CustomerNote]) -> list[NoteView]:
    names = await names_within(session, [note.created_by for note in notes])
    return [
        NoteView(note.id, note.text, names.get(note.created_by, ""), short_time_label(note.created_at))
        for note in notes
    ]
