"""The customer's consents, each with a button to withdraw it, and the offer to receive news."""

import reflex as rx
from reflex.vars import ObjectVar

from backend.core.texts import _
from backend.legal.texts import TITLES, LegalKind
from storefront.components.forms import AskFirst
from storefront.links import legal_path
from storefront.pages.account.state import AccountState, ConsentRow

QUIET, DARK = "button button--small button--quiet", "button button--small button--dark"


def consent_section() -> rx.Component:
    """Build the list of the customer's consents: the latest of each kind, and buttons to withdraw them.

    It is empty if the account was created before the shop asked for consents.
    """

    def consent_item(row: ObjectVar[ConsentRow]) -> rx.Component:
        withdraw_button = AskFirst.create(
            rx.el.button(_("Retirar"), type="button", data_asks="", class_name=QUIET),
            rx.el.div(
                rx.el.p(_("¿Retirar tu autorización? Podrás darla otra vez cuando compres.")),
                rx.el.button(
                    _("Sí, retirarla"),
                    type="button",
                    data_first="",
                    on_click=AccountState.withdraw_consent(row.kind),  # type: ignore[call-arg, arg-type]
                    class_name=DARK,
                    data_testid="consent-withdraw",
                ),
                rx.el.button(_("No"), type="button", data_stays="", class_name=QUIET),
                class_name="account-entry__question",
            ),
        )
        return rx.el.li(
            rx.el.p(rx.el.b(row.title)),
            rx.el.p(row.detail, class_name="account__soft"),
            rx.cond(row.can_withdraw, withdraw_button),
            key=row.kind,
            class_name="account-consent",
            data_testid="account-consent",
        )

    rows = AccountState.consents
    return rx.cond(
        rows.length() > 0,
        rx.el.section(
            rx.el.h2(_("Lo que autorizaste"), id="autorizaciones", class_name="account__heading"),
            rx.el.ul(rx.foreach(rows, consent_item), class_name="account-list"),
            class_name="account__part",
            aria_labelledby="autorizaciones",
        ),
    )


def offers_section() -> rx.Component:
    """Build the button with which the customer agrees to receive offers. It is empty if the shop sends no offers."""
    return rx.cond(
        AccountState.can_accept_offers,
        rx.el.section(
            rx.el.h2(_("Noticias y ofertas"), id="ofertas", class_name="account__heading"),
            rx.el.p(
                _(
                    "¿Te escribimos al correo con ofertas, o si dejas productos en el carrito? Es opcional, y lo "
                    "puedes retirar cuando quieras."
                ),
                " ",
                rx.el.a(TITLES[LegalKind.DATA], href=legal_path(LegalKind.DATA), target="_blank"),
                class_name="account__soft",
            ),
            rx.el.button(
                _("Sí, acepto recibirlas"),
                type="button",
                on_click=AccountState.accept_offers,
                class_name=QUIET,
                data_testid="accept-offers",
            ),
            class_name="account__part",
            aria_labelledby="ofertas",
        ),
    )
