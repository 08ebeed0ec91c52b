"""The three steps of the form."""

import reflex as rx
from reflex.vars import ArrayVar, ObjectVar

from backend.checkout.account_page import AddressView
from backend.customers.payers import KEEP_PAYER
from backend.orders.gifts import GIFT_MESSAGE, LONGEST_MESSAGE
from backend.payment.providers.pse.payer import PERSON
from backend.texts import _
from storefront.components.forms import (
    described_by,
    problem_of,
    select_field,
    text_field,
    town_field,
    town_panel,
)
from storefront.components.hooks import ABSENT, lasting, props
from storefront.components.icons import icon
from storefront.components.links import ACCOUNT, CHECKOUT, LOGIN
from storefront.pages.checkout import texts
from storefront.pages.checkout.browser import (
    BOOK,
    FORM,
    LIVE,
    choice,
    control,
    field_id,
    line,
    problem_at,
    tick,
    typed,
)
from storefront.pages.checkout.fields import DOCUMENTS, LABELS, LONGEST_OF, PERSON_TYPES, WRITTEN_IN_DIGITS
from storefront.pages.checkout.state import CheckoutState
from storefront.pages.checkout.views import Choice, Shipping, ShippingCard


def step(number: int, title: str, is_done: rx.Var[bool], *content: rx.Component) -> rx.Component:
    """A step under its number, which becomes a tick when nothing is missing."""
    heading = f"paso-{number}"
    return rx.el.section(
        rx.el.h2(
            rx.el.span(
                rx.cond(is_done, icon("check", size=18), rx.el.span(number)),
                class_name="step__number",
                data_done=rx.cond(is_done, "true", "false"),
                aria_hidden="true",
            ),
            title,
            rx.cond(is_done, rx.el.span(_(" (completo)"), class_name="sr-only")),
            id=heading,
            class_name="step__title",
        ),
        rx.el.div(*content, class_name="step__body"),
        class_name="step",
        aria_labelledby=heading,
    )


def contact() -> rx.Component:
    """Who buys, and where it goes."""
    return step(
        1,
        _("Contacto y entrega"),
        CheckoutState.steps_done.contains("contact"),
        rx.cond(
            CheckoutState.is_guest,
            rx.el.p(
                _("¿Ya tienes cuenta? "),
                rx.el.a(_("Entra y no escribas todo otra vez"), href=f"{LOGIN}?next={CHECKOUT}"),
                class_name="checkout__enter",
            ),
        ),
        line(
            "email",
            _("Para el comprobante de tu pago y las noticias de la entrega."),
            type="email",
            auto_complete="email",
            input_mode="email",
            auto_capitalize="none",
        ),
        saved_addresses(),
        rx.el.div(
            line("first_name", auto_complete="given-name", auto_capitalize="words"),
            line("last_name", auto_complete="family-name", auto_capitalize="words"),
            class_name="pair",
        ),
        line(
            "phone",
            _("10 dígitos, como 300 123 4567. Solo para coordinar la entrega."),
            type="tel",
            auto_complete="tel-national",
            input_mode="tel",
        ),
        town_field(
            LABELS["dane_code"],
            CheckoutState.towns,
            CheckoutState.towns_for,
            CheckoutState.find_town,
            towns_panel(),
            element_id=field_id("dane_code"),
            problem=problem_at("dane_code"),
            live=LIVE,
            is_picked=typed("dane_code").bool(),
            special_props=control("town"),
        ),
        rx.el.input(type="hidden", name="dane_code", value=typed("dane_code")),
        line(
            "address",
            placeholder=_("Carrera 43A # 1-50, apto. 302"),
            auto_complete="address-line1",
            auto_capitalize="words",
        ),
        rx.el.div(
            line("suburb", auto_complete="address-level3", auto_capitalize="words"),
            line(
                "reference",
                is_optional=True,
                placeholder=_("Torre 2, portería"),
                auto_complete="address-line2",
                auto_capitalize="sentences",
            ),
            class_name="pair",
        ),
        gift(),
    )


def gift() -> rx.Component:
    """The words that go with a gift."""
    return text_field(
        GIFT_MESSAGE,
        LABELS[GIFT_MESSAGE],
        element_id=field_id(GIFT_MESSAGE),
        problem=problem_at(GIFT_MESSAGE),
        hint=_("Lo imprimimos y va dentro de la caja, que no lleva precios. Hasta {n} letras.").format(
            n=LONGEST_MESSAGE
        ),
        live=LIVE,
        longest=LONGEST_OF[GIFT_MESSAGE],
        special_props=control(GIFT_MESSAGE),
    )


@rx.memo
def towns_panel() -> rx.Component:
    """The municipalities to pick from."""
    return town_panel(CheckoutState.towns, lambda town: {"special_props": [props(FORM.town, town)]})


def saved_addresses() -> rx.Component:
    """The customer's addresses to choose from. Nothing for whoever has none."""
    book = BOOK

    def card(entry: ObjectVar[AddressView]) -> rx.Component:
        return rx.el.label(
            rx.el.input(special_props=[props(FORM.address, entry)]),
            rx.el.span(
                rx.el.b(entry.address),
                rx.el.span(
                    entry.suburb,
                    rx.cond((entry.suburb != "") & (entry.town != ""), " · ", ""),
                    entry.town,
                    class_name="card-choice__note",
                ),
                rx.el.span(entry.first_name, " ", entry.last_name, class_name="card-choice__note"),
                class_name="card-choice__words",
            ),
            class_name="card-choice",
            key=entry.id,
            data_testid="saved-address",
        )

    return rx.cond(
        book.length() > 0,
        rx.el.fieldset(
            rx.el.legend(_("¿A dónde lo enviamos?"), class_name="field__label"),
            rx.foreach(book, card),
            rx.el.label(
                rx.el.input(special_props=[props(FORM.address, None)]),
                rx.el.span(rx.el.b(_("A otra dirección")), class_name="card-choice__words"),
                class_name="card-choice card-choice--small",
                data_testid="other-address",
            ),
            class_name="field cards",
        ),
    )


def shipping() -> rx.Component:
    """How it gets there."""
    ways = CheckoutState.shipping
    again = rx.el.button(
        _("Intentar de nuevo"),
        type="button",
        class_name="button button--quiet button--small",
        custom_attrs={"onClick": FORM.ship},
    )
    town_first = _("Elige tu municipio y aquí verás las formas de envío con su precio exacto.")
    return step(
        2,
        _("Envío"),
        (ways.status == "ready") & (ways.chosen != ""),
        rx.cond(
            typed("dane_code"),
            rx.cond(
                ways.status == "failed",
                rx.el.div(
                    rx.el.p(rx.cond(ways.problem != "", ways.problem, _("No pudimos calcular el envío."))),
                    again,
                    class_name="shipping__none",
                    role="alert",
                ),
                ways_to_ship(ways),
            ),
            rx.el.p(icon("truck", size=28), rx.el.span(town_first), class_name="shipping__none"),
        ),
    )


def ways_to_ship(ways: ObjectVar[Shipping]) -> rx.Component:
    """The ways to ship, priced for the place that stands in the form now: another place's price is never shown."""
    element_id, problem = field_id("shipping"), problem_at("shipping")
    slow = _("La transportadora está tardando. Sigue con tus datos: el precio llega aquí.")
    none = _("Por ahora no tenemos envíos para este pedido. Escríbenos y lo resolvemos.")
    has_choices = ways.choices.length() > 0
    known = lasting(ways.choices, has_choices)

    def bone(kind: str = "") -> rx.Component:
        return rx.el.span(class_name=f"bone shipping__bone {kind}")

    def card(
        way: ObjectVar[ShippingCard] | None, is_first: bool | rx.Var[bool], key: str | rx.Var[str]
    ) -> rx.Component:
        note, price = (way.note, way.price) if way is not None else (bone(), bone())
        return rx.el.label(
            rx.el.input(
                id=rx.cond(is_first, element_id, ABSENT),
                disabled=FORM.is_waiting,
                special_props=choice("shipping_option", key, is_chosen=FORM.chosen == key),
            ),
            icon(rx.cond(way.is_pickup, "store", "truck") if way is not None else "truck"),
            rx.el.span(
                rx.el.b(way.name if way is not None else bone()),
                rx.el.span(
                    rx.cond(FORM.is_waiting, rx.cond(FORM.is_slow & is_first, slow, bone()), note),
                    class_name="card-choice__note",
                ),
                class_name="card-choice__words",
            ),
            rx.el.span(
                rx.cond(FORM.is_waiting, bone("shipping__bone--price"), price),
                class_name="card-choice__price",
            ),
            class_name="card-choice card-choice--wide",
            key=key,
            **({"data_testid": "shipping-option"} if way is not None else {}),
        )

    return rx.el.fieldset(
        rx.el.legend(_("Formas de envío"), class_name="sr-only"),
        rx.cond(FORM.is_priced & ~has_choices, rx.el.p(none, class_name="shipping__none")),
        rx.cond(
            FORM.is_waiting | FORM.is_priced | has_choices,
            rx.cond(
                known.length() > 0,
                rx.foreach(known, lambda way, place: card(way, place == 0, way.id)),
                rx.fragment(card(None, True, "1"), card(None, False, "2")),
            ),
        ),
        rx.el.p(
            rx.cond(
                FORM.is_slow,
                slow,
                rx.cond(FORM.is_pricing, texts.PRICING, _("El precio del envío está listo.")),
            ),
            class_name="sr-only",
            role="status",
        ),
        problem_of(element_id, problem, LIVE),
        class_name="field cards",
        custom_attrs={
            "aria-busy": rx.cond(FORM.is_pricing, "true", ABSENT),
            **described_by(element_id, problem),
        },
    )


def payment() -> rx.Component:
    """How it is paid."""
    return step(
        3,
        _("Pago por PSE"),
        CheckoutState.steps_done.contains("payment"),
        rx.cond(CheckoutState.is_payable, rx.fragment(*pse()), not_payable()),
    )


def not_payable() -> rx.Component:
    """The shop takes no payments by PSE here: better said before anything is typed than after."""
    return rx.el.p(
        icon("warning"),
        rx.el.span(
            _(
                "Por ahora no podemos recibir pagos en línea. Escríbenos o llámanos y acordamos el pago: tu carrito "
                "sigue guardado."
            )
        ),
        class_name="alert",
        role="status",
        data_testid="payment-unavailable",
    )


def pse() -> list[rx.Component]:
    """What a payment by PSE needs to know."""
    return [
        rx.el.div(
            rx.el.span(_("PSE"), class_name="pse__mark", aria_hidden="true"),
            rx.el.div(
                rx.el.p(_("Débito bancario PSE"), class_name="pse__title"),
                rx.el.p(
                    _(
                        "Al pagar te llevamos a la página de tu banco, donde autorizas el débito desde tu cuenta."
                    )
                ),
            ),
            class_name="pse",
        ),
        payer(),
        rx.el.div(
            document_kind(),
            line(
                "doc_number",
                auto_complete="off",
                auto_capitalize="characters",
                input_mode=rx.cond(
                    rx.Var.create(WRITTEN_IN_DIGITS).contains(typed("doc_type")), "numeric", "text"
                ),
            ),
            class_name="pair",
        ),
        bank(),
        kept_payer(),
    ]


def kept_payer() -> rx.Component:
    """For customers: that document and bank were filled in for them, and the box that asks for it. It begins empty."""
    told = rx.el.p(
        _("Llenamos tu documento y tu banco porque nos lo pediste. "),
        rx.el.a(_("Bórralos en tu cuenta"), href=ACCOUNT),
        class_name="field__hint",
        data_testid="payer-known",
    )
    box = rx.el.label(
        rx.el.input(data_testid="keep-payer", special_props=tick(KEEP_PAYER)),
        rx.el.span(_("Recordar mi documento y mi banco para mi próxima compra")),
        class_name="consent",
    )
    return rx.cond(
        CheckoutState.is_guest, rx.fragment(), rx.fragment(rx.cond(CheckoutState.has_payer, told), box)
    )


def payer() -> rx.Component:
    """Who pays: a person or a company."""
    element_id, problem = field_id("person_type"), problem_at("person_type")
    cards = [
        rx.el.label(
            rx.el.input(
                special_props=choice(
                    "person_type", option["value"], also={"doc_type": first_document(option["value"])}
                ),
                **({"id": rx.Var.create(element_id)} if place == 0 else {}),
            ),
            icon(option["icon"]),
            rx.el.span(
                rx.el.b(option["label"]),
                rx.el.span(option["note"], class_name="card-choice__note"),
                class_name="card-choice__words",
            ),
            class_name="card-choice",
        )
        for place, option in enumerate(PERSON_TYPES)
    ]
    return rx.el.fieldset(
        rx.el.legend(LABELS["person_type"], class_name="field__label"),
        rx.el.div(*cards, class_name="cards__row"),
        problem_of(element_id, problem, LIVE),
        class_name="field cards",
        custom_attrs=described_by(element_id, problem),
    )


def options_of(
    name: str, options: ArrayVar[list[Choice]], placeholder: str
) -> tuple[rx.Component, rx.Component]:
    """The entries of a list, and before them what it says while none of them is chosen."""
    nothing = rx.el.option(placeholder, value="", custom_attrs={"disabled": True})
    entries = rx.foreach(options, lambda entry: rx.el.option(entry.label, value=entry.value, key=entry.value))
    is_offered = options.pluck("value").contains(typed(name))
    return rx.cond(~is_offered | (options.length() > 1), nothing), entries


def first_document(person_type: str) -> str:
    """The document that is chosen with a type of person: those of the other types are not among its own."""
    return DOCUMENTS[person_type][0]["value"]


def document_kind() -> rx.Component:
    """With which document: a company has only its NIT, a person everything else."""
    kinds = rx.Var.create(DOCUMENTS)[rx.cond(typed("person_type"), typed("person_type"), PERSON)]
    return select_field(
        LABELS["doc_type"],
        options_of("doc_type", kinds.to(ArrayVar, list[Choice]), _("Elige el tipo de documento")),
        element_id=field_id("doc_type"),
        problem=problem_at("doc_type"),
        live=LIVE,
        special_props=control("doc_type"),
    )


def bank() -> rx.Component:
    """At which bank."""
    problem = rx.cond(
        CheckoutState.banks_problem != "",
        rx.el.div(
            rx.el.p(CheckoutState.banks_problem),
            rx.el.button(
                _("Intentar de nuevo"),
                type="button",
                class_name="button button--quiet button--small",
                on_click=CheckoutState.load_banks,
            ),
            class_name="alert",
            role="alert",
        ),
    )
    banks = lasting(CheckoutState.banks, CheckoutState.banks.length() > 0)
    return select_field(
        LABELS["bank"],
        options_of("bank", banks, _("Elige tu banco")),
        problem,
        element_id=field_id("bank"),
        problem=problem_at("bank"),
        live=LIVE,
        data_testid="bank-select",
        special_props=control("bank"),
    )
