"""The customer screen of the office: contact data, orders, consents and notes of one customer."""

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
from backend.office.customer_labels import describe_consent, payer_document, phone_path, whatsapp_path
from backend.office.customers.listing import account_chip, customer_name
from backend.office.orders.listing import OrderRow, order_rows
from backend.office.views import ChipView
from backend.orders.models import Order
from backend.orders.parties import find_customer_phone
from backend.orders.states import HAS_MONEY
from backend.pqrs.models import KIND_NAMES, Pqrs, PqrsKind
from backend.privacy.customer_data import find_data_subject
from backend.privacy.erasure import find_obstacles
from backend.shipping.addresses import format_address_lines
from backend.staff.actor_names import short_actor_names
from backend.staff.rights import Actor, Right

MAX_ORDERS = 20
MAX_ADDRESSES = 6
LOGIN_LABELS = {"emailpass": _("Correo y contraseña"), "google": _("Google")}


@dataclass(frozen=True, slots=True)
class NoteView:
    """A note of a staff member on the customer."""

    id: str
    text: str
    author: str
    when: str


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """A postal address of the customer. `source` says if it is from the address book or from an order."""

    source: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class ContactFields:
    """The contact data of a customer that staff may change."""

    first_name: str
    last_name: str
    phone: str


@dataclass(frozen=True, slots=True)
class CustomerDetail:
    """A customer or guest.

    Attributes:
        phone_path, whatsapp_path: links; empty for an invalid number.
        facts: names and values of further data.
        orders: the newest orders; `more_orders`: number of further orders.
        pqrs: kind, number and time of each PQRS request.
        others: id and label of each other account or guest with the same e-mail address.
        consents: the customer's consents: name, proof, and SHA-256 of the text.
        actions: possible actions: `change`, `export`, `erase`, and `prove` if the actor must first use their
            second factor, to export or delete the data.
        obstacles: reasons why the data cannot be deleted yet; empty if the actor may not delete it.
    """

    id: str
    name: str
    email: str
    phone: str
    phone_path: str
    whatsapp_path: str
    chip: ChipView
    fields: ContactFields
    facts: list[tuple[str, str]]
    addresses: list[KnownAddress]
    orders: list[OrderRow]
    more_orders: int
    pqrs: list[tuple[str, str]]
    others: list[tuple[str, str]]
    consents: list[tuple[str, str, str]]
    notes: list[NoteView]
    actions: list[str]
    obstacles: list[str]


async def customer_detail(session: AsyncSession, actor: Actor, customer_id: str) -> CustomerDetail:
    """Return the customer or guest with this id.

    Raises:
        Forbidden: the actor may not see customers.
        NotFound: there is no customer or guest with this id.
    """
    actor.require(Right.READ_CUSTOMERS)
    person = await find_person(session, customer_id)
    own_orders = or_(Order.customer_id == person.id, Order.guest_id == person.id)
    newest = select(Order).where(own_orders).order_by(Order.created_at.desc(), Order.number.desc())
    orders = (await session.execute(newest.limit(MAX_ORDERS))).scalars().all()
    count = (await session.execute(select(func.count()).select_from(Order).where(own_orders))).scalar_one()
    last = orders[0] if orders else None
    phone = person.phone or (find_customer_phone(last.billing_address, last.shipping_address) if last else "")
    paid = select(func.sum(Order.total)).where(own_orders, Order.payment_status.in_(HAS_MONEY))
    spent = (await session.execute(paid)).scalar_one() or 0
    cart_ids = (await session.execute(select(Order.cart_id).where(own_orders))).scalars().all()
    return CustomerDetail(
        id=person.id,
        name=customer_name(person.first_name, person.last_name, last, person.email),
        email=person.email,
        phone=phone,
        phone_path=phone_path(phone),
        whatsapp_path=whatsapp_path(phone),
        chip=account_chip(has_account=isinstance(person, Customer)),
        fields=ContactFields(person.first_name, person.last_name, person.phone),
        facts=await _customer_facts(session, person, orders, count, spent),
        addresses=await _known_addresses(session, person, orders),
        orders=await order_rows(session, orders),
        more_orders=count - len(orders),
        pqrs=await _pqrs_labels(session, person.email),
        others=await _related_customers(session, person),
        consents=[
            describe_consent(proof) for proof in await consents_of_person(session, person.id, cart_ids)
        ],
        notes=await _note_views(session, await notes_of(session, person.id)),
        actions=_possible_actions(actor),
        obstacles=(
            await find_obstacles(session, await find_data_subject(session, person.id))
            if actor.may(Right.ERASE_PERSONAL_DATA)
            else []
        ),
    )


def _possible_actions(actor: Actor) -> list[str]:
    may_export = actor.may(Right.EXPORT_PERSONAL_DATA)
    possible = {
        "change": actor.may(Right.CHANGE_CUSTOMERS),
        "export": may_export and actor.has_second_factor,
        "erase": actor.may(Right.ERASE_PERSONAL_DATA) and actor.has_second_factor,
        "prove": may_export and not actor.has_second_factor,
    }
    return [name for name, is_possible in possible.items() if is_possible]


async def _customer_facts(
    session: AsyncSession, person: Person, orders: Sequence[Order], count: int, spent: int
) -> list[tuple[str, str]]:
    ways = await session.execute(
        select(Login.provider).where(Login.customer_id == person.id).order_by(Login.provider)
    )
    document = next((text for order in orders if (text := payer_document(order.payer))), "")
    facts = (
        (_("Cliente desde"), date_label(person.created_at)),
        (_("Empresa"), person.company_name),
        (_("Documento con que pagó"), document),
        (_("Entra con"), ", ".join(LOGIN_LABELS.get(way, way) for way in ways.scalars())),
        (_("Pedidos"), str(count) if count else ""),
        (_("Ha comprado"), format_cop(spent) if spent else ""),
    )
    return [(name, value) for name, value in facts if value]


async def _known_addresses(
    session: AsyncSession, person: Person, orders: Sequence[Order]
) -> list[KnownAddress]:
    """Return the postal addresses of the address book and of the orders, without duplicates."""
    book = await addresses_of(session, person.id) if isinstance(person, Customer) else ()
    known = [
        KnownAddress(entry.address_name or _("Libreta de direcciones"), format_address_lines(entry.address))
        for entry in book
    ]
    known += [
        KnownAddress(
            _("Pedido {number}").format(number=order.number), format_address_lines(order.shipping_address)
        )
        for order in orders
    ]
    places: list[KnownAddress] = []
    for place in known:
        if place.lines and place.lines not in [one.lines for one in places]:
            places.append(place)
    return places[:MAX_ADDRESSES]


async def _pqrs_labels(session: AsyncSession, email: str) -> list[tuple[str, str]]:
    query = select(Pqrs).where(Pqrs.email == email).order_by(Pqrs.number.desc())
    return [
        (f"{KIND_NAMES[PqrsKind(row.kind)]} {row.number}", short_time_label(row.asked_at))
        for row in (await session.execute(query)).scalars()
    ]


async def _related_customers(session: AsyncSession, person: Person) -> list[tuple[str, str]]:
    if isinstance(person, Customer):
        other = select(GuestCustomer.id).where(GuestCustomer.email == person.email)
        label = _("También compró sin entrar a su cuenta")
    else:
        other = select(Customer.id).where(Customer.email == person.email)
        label = _("Hay una cuenta con este correo")
    return [(found, label) for found in (await session.execute(other)).scalars()]


async def _note_views(session: AsyncSession, notes: Sequence[CustomerNote]) -> list[NoteView]:
    names = await short_actor_names(session, [note.created_by for note in notes])
    return [
        NoteView(note.id, note.text, names.get(note.created_by, ""), short_time_label(note.created_at))
        for note in notes
    ]
