"""The pages to sign in and to create an account."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.core.web.passwords import MIN_LENGTH
from backend.legal.consents import CHECKBOXES
from storefront.components.consents import consent_box
from storefront.components.forms import Text
from storefront.components.frame import page_frame
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.components.pictures import GOOGLE, drawing
from storefront.components.placeholders import loaded_content, skeleton_bar
from storefront.links import ACCOUNT, FIND_ORDER, LOGIN, REGISTER, RESET
from storefront.meta import DocumentMeta
from storefront.pages.account.forms import NEXT_QUERY, account_field, problem_text
from storefront.pages.account.state import private_meta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import function, script
from storefront.state.session import get_shopper

PASSWORD = _("Contraseña")
GOOGLE_PROBLEMS = {
    "join": _(
        "Ya hay una cuenta con el correo de tu cuenta de Google. Entra una vez con tu contraseña y quedarán unidas."
    ),
    "unverified": _("Google no ha confirmado tu correo. Confírmalo allá o entra con tu contraseña."),
    "failed": _("No pudimos entrar con Google. Inténtalo otra vez o usa tu contraseña."),
}
"""Error messages of a failed sign-in with Google, by the value of the URL's parameter `google`."""


@dataclass(frozen=True, slots=True)
class SignInOptions:
    """Content of the sign-in page: `has_google` is True if the shop offers Google's sign-in.

    `problem` is the error of the previous attempt with Google, or empty.
    """

    has_google: bool = False
    problem: str = ""


async def load(params: PageParams) -> PageData[SignInOptions]:
    """Read the sign-in options and the error of a sign-in with Google.

    The URL contains only a key of a known error, so that it cannot put other text on the page.
    """
    title = _("Crea tu cuenta") if params.path.rstrip("/") == REGISTER else _("Entra a tu cuenta")
    problem = GOOGLE_PROBLEMS.get(params.get_parameter("google"), "")
    return PageData(SignInOptions(current_shop().settings.has_google, problem), private_meta(title))


class SignInState(PageState, rx.State):
    """State of the pages to sign in and register."""

    content: rx.Field[SignInOptions] = rx.field(default_factory=SignInOptions)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: private_meta(_("Entra a tu cuenta")))

    async def _data(self, params: PageParams) -> PageData[SignInOptions]:
        return await load(params)

    async def _read_and_show(self) -> Any:
        """Redirect to the account page if the customer is already signed in. Otherwise, show the page."""
        await super()._read_and_show()
        return rx.redirect(ACCOUNT, replace=True) if await get_shopper(self) else None


SIGN_IN = SignInState.content


def google_button() -> rx.Component:
    """Build Google's sign-in button, if the shop offers it, and the error message of the previous attempt."""
    return rx.fragment(
        rx.cond(
            SIGN_IN.problem != "",
            rx.el.p(icon("warning", size=20), SIGN_IN.problem, class_name="account-form__said", role="alert"),
        ),
        rx.cond(
            SIGN_IN.has_google,
            rx.fragment(
                rx.el.a(
                    drawing(GOOGLE, 20),
                    _("Continuar con Google"),
                    href=rx.Var.create(f"/auth/google{NEXT_QUERY}"),
                    class_name="button button--quiet button--wide account-google",
                    data_testid="google",
                    custom_attrs={
                        "reloadDocument": True,
                        "onClick": function(script("session"), "leaveForGoogle"),
                    },
                ),
                rx.el.p(_("o con tu correo"), class_name="account-or"),
            ),
        ),
    )


def card_page(title: Text, *content: rx.Component) -> rx.Component:
    """Build a page with one card."""
    return page_frame(
        rx.el.div(rx.el.h1(title, class_name="page-title"), *content, class_name="account-card"),
        class_name="main--account",
    )


def sign_in_link(text: str, to: str) -> rx.Component:
    """Build a link to another sign-in page. It passes on the parameter `next` of the current URL."""
    return rx.el.a(text, href=rx.Var.create(f"{to}{NEXT_QUERY}"))


def entry_field(name: str, label: str, fill: str, **more: Any) -> rx.Component:
    """Build a text field of a form that is submitted over HTTP."""
    return account_field(name, label, fill, ANSWER, "entrar", **more)


def email_field() -> rx.Component:
    """Build the field of an account's e-mail address."""
    return entry_field("email", _("Correo electrónico"), "username", kind="email")


def new_password_field(name: str = "password", label: str = PASSWORD) -> rx.Component:
    """Build the field of a new password."""
    hint = _("Al menos {count} caracteres. Una frase corta sirve muy bien.").format(count=MIN_LENGTH)
    return entry_field(name, label, "new-password", kind="password", hint=hint)


def consent_boxes() -> rx.Component:
    """Build the checkboxes that are required for a new account."""
    boxes = [
        consent_box(
            name,
            element_id=f"entrar-{name}",
            problem=problem_text(ANSWER, name),
            live="",
            type="checkbox",
            name=name,
        )
        for name in CHECKBOXES
    ]
    return rx.el.div(*boxes, class_name="consents")


def sign_in_card(title: str, *content: rx.Component) -> rx.Component:
    """Build a card that displays a skeleton until its content is loaded, so that no button moves during a click."""
    skeleton = rx.el.div(
        skeleton_bar("100%", "3rem"),
        skeleton_bar("100%", "9rem"),
        class_name="account-form",
        aria_hidden="true",
    )
    return card_page(
        title,
        loaded_content(
            SignInState.is_ready, SignInState.has_failed, SignInState.load, skeleton, rx.fragment(*content)
        ),
    )


def login_page() -> rx.Component:
    """Build the page to sign in."""
    return sign_in_card(
        _("Entra a tu cuenta"),
        google_button(),
        http_form(
            email_field(),
            entry_field("password", PASSWORD, "current-password", kind="password"),
            action="/auth/account/login",
            leads_to=ACCOUNT,
            submit=_("Entrar"),
            busy=_("Entrando…"),
        ),
        rx.el.p(sign_in_link(_("Olvidé mi contraseña"), RESET), class_name="account-card__more"),
        rx.el.p(
            _("¿Primera vez aquí? "),
            sign_in_link(_("Crea tu cuenta"), REGISTER),
            class_name="account-card__more",
        ),
        rx.el.p(
            _("¿Compraste sin cuenta? "),
            rx.el.a(_("Encuentra tu pedido"), href=FIND_ORDER),
            class_name="account-card__more",
        ),
    )


def register_page() -> rx.Component:
    """Build the page to create an account."""
    return sign_in_card(
        _("Crea tu cuenta"),
        rx.el.p(_("Para seguir tus pedidos y comprar más rápido."), class_name="account-card__lead"),
        google_button(),
        http_form(
            entry_field("first_name", _("Nombre"), "given-name"),
            entry_field("last_name", _("Apellido"), "family-name"),
            email_field(),
            new_password_field(),
            consent_boxes(),
            action="/auth/account/register",
            leads_to=ACCOUNT,
            submit=_("Crear mi cuenta"),
            busy=_("Creando tu cuenta…"),
        ),
        rx.el.p(_("¿Ya tienes cuenta? "), sign_in_link(_("Entra"), LOGIN), class_name="account-card__more"),
    )


CONSENT_TITLE = _("Antes de crear tu cuenta")


async def load_consent(_params: PageParams) -> PageData[None]:
    """Return only the status and head of the document.

    The page needs no data of the new customer: a cookie, which no page can read, identifies them to the server.
    """
    return PageData(None, private_meta(CONSENT_TITLE))


def consent_page() -> rx.Component:
    """Build the page that asks a customer who comes from Google for consent, before the account is created."""
    return card_page(
        CONSENT_TITLE,
        rx.el.p(
            _("Google nos dijo quién eres. Falta tu autorización para crear la cuenta."),
            class_name="account-card__lead",
        ),
        http_form(
            consent_boxes(),
            action="/auth/account/google",
            leads_to=ACCOUNT,
            submit=_("Crear mi cuenta"),
            busy=_("Creando tu cuenta…"),
        ),
        rx.el.p(sign_in_link(_("Volver a entrar"), LOGIN), class_name="account-card__more"),
    )
