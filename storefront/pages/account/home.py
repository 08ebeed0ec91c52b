"""The customer's account page: orders first, then profile, addresses, saved payer and password."""

from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.fulfillment.views import FulfillmentView
from backend.storefront_views.account_page import AddressView, OrderedProduct
from storefront.components.forms import AskFirst, SubmitOnce, Text, town_field, town_panel
from storefront.components.frame import page_frame
from storefront.components.http_forms import http_form
from storefront.components.icons import icon
from storefront.components.pictures import product_picture
from storefront.components.placeholders import link_button, loaded_content, skeleton_bar
from storefront.components.reviews import review_link
from storefront.links import ACCOUNT, CATALOG, HOME
from storefront.pages.account.consents import consent_section, offers_section
from storefront.pages.account.forms import (
    account_field,
    event_form,
    form_answer,
    problem_text,
    sign_out_button,
)
from storefront.pages.account.sign_in import entry_field, new_password_field
from storefront.pages.account.state import TITLE, AccountState, OrderRow, load
from storefront.pages.order.returns import RETURNS_ID as RETURNS_PART
from storefront.pages.order.sections import stage_text

__all__ = ["TITLE", "AccountState", "load", "page"]

SHOPPER = AccountState.shopper
STATUSES = {
    "pending": _("Esperando el pago"),
    "paid": _("Pagado"),
    "partially_refunded": _("Pagado, con una devolución"),
    "refunded": _("Dinero devuelto"),
    "canceled": _("Cancelado"),
}


def account_section(title: str, *content: rx.Component, name: str) -> rx.Component:
    """Build a section of the page under its title."""
    return rx.el.section(
        rx.el.h2(title, id=name, class_name="account__heading"),
        *content,
        class_name="account__part",
        aria_labelledby=name,
    )


def parcel_row(item: ObjectVar[FulfillmentView]) -> rx.Component:
    """Build the carrier, tracking number and stage of a fulfillment; empty without a tracking number."""
    return rx.cond(
        item.tracking_number != "",
        rx.el.p(
            icon("truck", size=20),
            rx.el.span(item.carrier, " "),
            _("Guía "),
            rx.el.b(item.tracking_number, data_testid="tracking-number"),
            rx.el.span("· ", stage_text(item.stage), data_testid="parcel-stage", data_stage=item.stage),
            class_name="account-order__parcel",
        ),
    )


def ordered_product(item: ObjectVar[OrderedProduct]) -> rx.Component:
    """Build the picture of an ordered product, with the number of units if there are several."""
    return rx.el.li(
        rx.el.span(
            product_picture(item.picture, "56px", alt=""),
            class_name="account-order__picture",
        ),
        rx.cond(item.quantity.to(int) > 1, rx.el.b(f"× {item.quantity}", aria_hidden="true")),
        rx.el.span(
            item.title, rx.cond(item.quantity.to(int) > 1, f" × {item.quantity}", ""), class_name="sr-only"
        ),
        title=item.title,
    )


def order_row(row: ObjectVar[OrderRow]) -> rx.Component:
    """Build an order with a link to its page."""
    return rx.el.li(
        rx.el.div(
            rx.el.a(_("Pedido "), row.number, href=row.page, class_name="account-order__number"),
            rx.el.span(
                rx.match(row.status, *STATUSES.items(), STATUSES["pending"]),
                class_name="account-order__status",
                data_status=row.status,
            ),
            class_name="account-order__top",
        ),
        rx.el.p(
            rx.el.span(row.created_label, class_name="account__soft"),
            rx.el.b(row.total_label),
            class_name="account-order__facts",
        ),
        rx.el.ul(
            rx.foreach(row.products, ordered_product),
            class_name="account-order__toys",
            aria_label=_("Productos"),
        ),
        rx.foreach(row.fulfillments, parcel_row),
        rx.foreach(row.reviews, lambda link: review_link(link, names_product=True)),
        rx.foreach(row.returns, lambda words: rx.el.p(words, key=words, data_testid="account-return")),
        rx.cond(
            row.can_ask,
            rx.el.a(
                _("Cancelar, devolver o pedir garantía"),
                rx.el.span(_(", pedido "), row.number, class_name="sr-only"),
                href=f"{row.page}#{RETURNS_PART}",
                class_name="account-order__number",
                data_testid="ask-back",
            ),
        ),
        SubmitOnce.create(
            rx.el.button(
                icon("cart", size=20),
                _("Comprar otra vez"),
                rx.el.span(_(", pedido "), row.number, class_name="sr-only"),
                type="button",
                class_name="button button--quiet button--small account-order__again",
                on_click=AccountState.buy_again(row.id),  # type: ignore[call-arg, arg-type]
                data_testid="buy-again",
                data_once="",
            ),
            answers=AccountState.answer.number,
        ),
        class_name="account-order",
        data_testid="account-order",
    )


def orders_section() -> rx.Component:
    """Build the list of the customer's orders."""
    rows = AccountState.orders
    return account_section(
        _("Tus pedidos"),
        rx.cond(
            rows.length() > 0,
            rx.el.ul(rx.foreach(rows, order_row), class_name="account-list"),
            rx.el.div(
                rx.el.p(_("Aquí verás lo que compres con tu cuenta."), class_name="account__soft"),
                link_button(_("Ver el catálogo"), CATALOG, "quiet"),
                class_name="account__none",
            ),
        ),
        name="pedidos",
    )


@rx.memo
def towns_panel() -> rx.Component:
    """Build the list of municipalities."""
    return town_panel(AccountState.towns, lambda town: {"data_text": town.label})


def address_form(form: Text, entry: ObjectVar[AddressView] | None = None) -> rx.Component:
    """Build the form to add an address, or to change an entry of the address book."""
    person = entry if entry is not None else SHOPPER
    answer = form_answer(form)

    def line(name: str, label: str, fill: str, value: Text = "", **more: Any) -> rx.Component:
        return account_field(name, label, fill, answer, form, default_value=value, key=value, **more)

    def value_of(name: str) -> Text:
        return getattr(entry, name) if entry is not None else ""

    return event_form(
        form,
        AccountState.save_address,
        _("Guardar dirección"),
        *([rx.el.input(type="hidden", name="id", value=entry.id)] if entry is not None else []),
        rx.el.div(
            line("first_name", _("Nombre"), "given-name", person.first_name),
            line("last_name", _("Apellido"), "family-name", person.last_name),
            class_name="pair",
        ),
        line("phone", _("Celular"), "tel-national", person.phone, kind="tel"),
        town_field(
            _("Municipio"),
            AccountState.towns,
            AccountState.towns_for,
            AccountState.find_towns,
            towns_panel(),
            element_id=f"{form}-town",
            problem=problem_text(answer, "town"),
            live="",
            default_value=value_of("town"),
            key=value_of("town"),
        ),
        line("address", _("Dirección"), "address-line1", value_of("address")),
        rx.el.div(
            line("suburb", _("Barrio"), "address-level3", value_of("suburb")),
            line("reference", _("Indicaciones"), "address-line2", value_of("reference"), is_optional=True),
            class_name="pair",
        ),
    )


def remove_button(entry: ObjectVar[AddressView]) -> rx.Component:
    """Build the button that removes an address. It asks for confirmation, so that a wrong click does no harm."""
    label = _("Quitar la dirección ") + f"{entry.address}"
    button = rx.el.button(
        icon("trash", size=20), type="button", class_name="icon-button", aria_label=label, data_asks=""
    )
    question = rx.el.div(
        rx.el.button(
            _("Dejarla"),
            type="button",
            class_name="button button--quiet button--small",
            data_stays="",
            data_first="",
        ),
        rx.el.button(
            _("Quitarla"),
            type="button",
            class_name="button button--dark button--small",
            on_click=AccountState.remove_address(entry.id),  # type: ignore[call-arg, arg-type]
        ),
        role="group",
        class_name="account-remove",
        aria_label=label,
    )
    return AskFirst.create(button, question)


def address_card(entry: ObjectVar[AddressView]) -> rx.Component:
    """Build an entry of the address book."""
    return rx.el.li(
        rx.el.div(
            rx.el.address(
                rx.el.b(entry.first_name, " ", entry.last_name),
                rx.el.span(entry.address, rx.cond(entry.reference != "", f" · {entry.reference}", "")),
                rx.el.span(entry.suburb, rx.cond(entry.suburb != "", " · ", ""), entry.town),
                rx.el.span(entry.phone),
            ),
            remove_button(entry),
            class_name="account-address__top",
        ),
        rx.cond(
            entry.is_default,
            rx.el.p(icon("check", size=18), _("Es la de tus envíos"), class_name="account-address__default"),
            rx.el.button(
                _("Usar para mis envíos"),
                type="button",
                class_name="button button--quiet button--small account-address__prefer",
                on_click=AccountState.prefer_address(entry.id),  # type: ignore[call-arg, arg-type]
            ),
        ),
        rx.el.details(
            rx.el.summary(
                rx.el.span(_("Editar"), rx.el.span(_(" la dirección "), entry.address, class_name="sr-only")),
                icon("down", size=18),
                class_name="account__more",
            ),
            address_form(f"address{entry.id}", entry),
        ),
        class_name="account-address",
        key=entry.id,
        data_testid="account-address",
    )


def address_book_section() -> rx.Component:
    """Build the address book, and a form for a new address."""
    entries = AccountState.book
    return account_section(
        _("Tus direcciones"),
        rx.cond(
            entries.length() > 0,
            rx.el.ul(
                rx.foreach(entries, address_card),
                class_name="account-list",
            ),
            rx.el.p(
                _("Guarda a dónde te enviamos y no tendrás que escribirlo otra vez al comprar."),
                class_name="account__soft",
            ),
        ),
        rx.el.details(
            rx.el.summary(icon("plus", size=20), _("Agregar una dirección"), class_name="account__more"),
            address_form("address"),
        ),
        name="direcciones",
    )


def profile_section() -> rx.Component:
    """Build the customer's profile."""
    form = "profile"
    answer = form_answer(form)

    def line(name: str, label: str, fill: str, value: rx.Var[str], **more: Any) -> rx.Component:
        return account_field(name, label, fill, answer, form, default_value=value, key=value, **more)

    return account_section(
        _("Tus datos"),
        rx.el.p(SHOPPER.email, class_name="account__soft", data_testid="account-email"),
        event_form(
            form,
            AccountState.save_profile,
            _("Guardar mis datos"),
            line("first_name", _("Nombre"), "given-name", SHOPPER.first_name),
            line("last_name", _("Apellido"), "family-name", SHOPPER.last_name),
            line("phone", _("Celular"), "tel-national", SHOPPER.phone, kind="tel", is_optional=True),
        ),
        name="datos",
    )


def payer_section() -> rx.Component:
    """Build the data saved for the next payment, with a delete button."""
    return rx.cond(
        AccountState.payer != "",
        account_section(
            _("Para tu próximo pago"),
            rx.el.p(
                _("Recordamos tu documento y tu banco, como nos pediste: llenan el formulario al pagar.")
            ),
            rx.el.p(rx.el.b(AccountState.payer, data_testid="account-payer")),
            rx.el.button(
                _("Borrar estos datos"),
                type="button",
                class_name="button button--quiet button--small",
                on_click=AccountState.forget_payer,
                data_testid="forget-payer",
            ),
            name="pago",
        ),
    )


def password_section() -> rx.Component:
    """Build the form to change the password, and the button to sign out on all devices."""
    return account_section(
        _("Tu contraseña"),
        http_form(
            rx.cond(
                AccountState.has_password,
                entry_field("password", _("Contraseña actual"), "current-password", kind="password"),
                rx.el.p(
                    _("Entras con Google. Si quieres, elige también una contraseña."),
                    class_name="account__soft",
                ),
            ),
            new_password_field("new_password", _("Contraseña nueva")),
            action="/auth/account/password",
            leads_to=ACCOUNT,
            submit=_("Cambiar contraseña"),
            busy=_("Guardando…"),
            look="dark",
        ),
        rx.el.p(_("Al cambiarla se cierra tu sesión en los demás equipos."), class_name="account__soft"),
        sign_out_button(
            "/auth/account/logout-everywhere", _("Salir en todos mis equipos"), HOME, "logout-everywhere"
        ),
        name="clave",
    )


def skeleton() -> rx.Component:
    """Build the skeleton of the page."""
    return rx.el.div(
        skeleton_bar("60%", "2.4rem"),
        skeleton_bar("90%", "6rem"),
        skeleton_bar("90%", "6rem"),
        class_name="account",
        aria_hidden="true",
    )


def page() -> rx.Component:
    """Build the whole page. It displays nothing until the customer is known."""
    return page_frame(
        loaded_content(
            rx.State.is_hydrated & AccountState.is_ready & (SHOPPER.id != ""),
            AccountState.has_failed,
            AccountState.load,
            skeleton(),
            rx.el.div(
                rx.el.header(
                    rx.el.h1(
                        _("Hola, "), SHOPPER.first_name, class_name="page-title", data_testid="account-hello"
                    ),
                    sign_out_button("/auth/account/logout", _("Salir"), HOME, "logout"),
                    class_name="account__top",
                ),
                rx.el.div(
                    rx.el.div(orders_section(), address_book_section(), class_name="account__column"),
                    rx.el.div(
                        profile_section(),
                        payer_section(),
                        password_section(),
                        consent_section(),
                        offers_section(),
                        class_name="account__column",
                    ),
                    class_name="account__columns",
                ),
                class_name="account",
            ),
        ),
        class_name="main--account",
    )
