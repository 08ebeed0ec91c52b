"""Where a shopper signs in or makes an account."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.legal.consents import BOXES
from storefront.components.consents import consent_box
from storefront.components.forms import Text
from storefront.components.frame import framed
from storefront.components.http_forms import ANSWER, http_form
from storefront.components.icons import icon
from storefront.components.pictures import GOOGLE, drawing
from storefront.components.placeholders import bar, until
from storefront.links import ACCOUNT, FIND_ORDER, LOGIN, REGISTER, RESET
from storefront.meta import DocumentMeta
from storefront.pages.account.forms import KEEPING, account_field, problem_in
from storefront.pages.account.state import meta
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.reflex_ext.hooks import function, script
from storefront.state.session import shopper_of

PASSWORD = _("Contraseña")
GOOGLE_PROBLEMS = {
    "join": _(
        "Ya hay una cuenta con el correo de tu cuenta de Google. Entra una vez con tu contraseña y quedarán unidas."
    ),
    "unverified": _("Google no ha confirmado tu correo. Confírmalo allá o entra con tu contraseña."),
    "failed": _("No pudimos entrar con Google. Inténtalo otra vez o usa tu contraseña."),
}
"""What Google's way in may lead back with, in the parameter `google`."""


@dataclass(frozen=True, slots=True)
class WaysIn:
    """How one may enter: whether Google is one of the ways, and what must be said first."""

    has_google: bool = False
    problem: str = ""


async def load(params: PageParams) -> PageData[WaysIn]:
    """What Google's way in led back with, if it did: a page says nothing that its address makes up."""
    title = _("Crea tu cuenta") if params.path.rstrip("/") == REGISTER else _("Entra a tu cuenta")
    problem = GOOGLE_PROBLEMS.get(params.asked("google"), "")
    return PageData(WaysIn(current_shop().settings.has_google, problem), meta(title))


class EnterState(PageState, rx.State):
    """The ways in."""

    content: rx.Field[WaysIn] = rx.field(default_factory=WaysIn)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: meta(_("Entra a tu cuenta")))

    async def _data(self, params: PageParams) -> PageData[WaysIn]:
        return await load(params)

    async def _fill(self) -> Any:
        """Whoever is signed in has nothing to do here."""
        await super()._fill()
        return rx.redirect(ACCOUNT, replace=True) if await shopper_of(self) else None


WAYS = EnterState.content


def google() -> rx.Component:
    """The button, where the shop can sign in with Google at all."""
    return rx.fragment(
        rx.cond(
            WAYS.problem != "",
            rx.el.p(icon("warning", size=20), WAYS.problem, class_name="account-form__said", role="alert"),
        ),
        rx.cond(
            WAYS.has_google,
            rx.fragment(
                rx.el.a(
                    drawing(GOOGLE, 20),
                    _("Continuar con Google"),
                    href=rx.Var.create(f"/auth/google{KEEPING}"),
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


def card(title: Text, *content: rx.Component) -> rx.Component:
    """A page with one form on it."""
    return framed(
        rx.el.div(rx.el.h1(title, class_name="page-title"), *content, class_name="account-card"),
        class_name="main--account",
    )


def way(text: str, to: str) -> rx.Component:
    """Leads from one way in to another, and keeps where the page's address says to go on to."""
    return rx.el.a(text, href=rx.Var.create(f"{to}{KEEPING}"))


def entry_field(name: str, label: str, fill: str, **more: Any) -> rx.Component:
    """A line of a form that is sent by HTTP."""
    return account_field(name, label, fill, ANSWER, "entrar", **more)


def email_field() -> rx.Component:
    """The address of an account."""
    return entry_field("email", _("Correo electrónico"), "username", kind="email")


def new_password(name: str = "password", label: str = PASSWORD) -> rx.Component:
    """A password to be."""
    hint = _("Al menos 8 caracteres. Una frase corta sirve muy bien.")
    return entry_field(name, label, "new-password", kind="password", hint=hint)


def consent_boxes() -> rx.Component:
    """The boxes that nobody makes an account without."""
    boxes = [
        consent_box(
            name,
            element_id=f"entrar-{name}",
            problem=problem_in(ANSWER, name),
            live="",
            type="checkbox",
            name=name,
        )
        for name in BOXES
    ]
    return rx.el.div(*boxes, class_name="consents")


def ways_in(title: str, *content: rx.Component) -> rx.Component:
    """A card that shows nothing before all of it is known: it would move away under the finger."""
    skeleton = rx.el.div(
        bar("100%", "3rem"), bar("100%", "9rem"), class_name="account-form", aria_hidden="true"
    )
    return card(
        title,
        until(EnterState.is_ready, EnterState.has_failed, EnterState.load, skeleton, rx.fragment(*content)),
    )


def login_page() -> rx.Component:
    """Signing in."""
    return ways_in(
        _("Entra a tu cuenta"),
        google(),
        http_form(
            email_field(),
            entry_field("password", PASSWORD, "current-password", kind="password"),
            action="/auth/account/login",
            leads_to=ACCOUNT,
            submit=_("Entrar"),
            busy=_("Entrando…"),
        ),
        rx.el.p(way(_("Olvidé mi contraseña"), RESET), class_name="account-card__more"),
        rx.el.p(
            _("¿Primera vez aquí? "), way(_("Crea tu cuenta"), REGISTER), class_name="account-card__more"
        ),
        rx.el.p(
            _("¿Compraste sin cuenta? "),
            rx.el.a(_("Encuentra tu pedido"), href=FIND_ORDER),
            class_name="account-card__more",
        ),
    )


def register_page() -> rx.Component:
    """Making an account."""
    return ways_in(
        _("Crea tu cuenta"),
        rx.el.p(_("Para seguir tus pedidos y comprar más rápido."), class_name="account-card__lead"),
        google(),
        http_form(
            entry_field("first_name", _("Nombre"), "given-name"),
            entry_field("last_name", _("Apellido"), "family-name"),
            email_field(),
            new_password(),
            consent_boxes(),
            action="/auth/account/register",
            leads_to=ACCOUNT,
            submit=_("Crear mi cuenta"),
            busy=_("Creando tu cuenta…"),
        ),
        rx.el.p(_("¿Ya tienes cuenta? "), way(_("Entra"), LOGIN), class_name="account-card__more"),
    )


CONSENT_TITLE = _("Antes de crear tu cuenta")


async def load_consent(_params: PageParams) -> PageData[None]:
    """Nothing but a form: who comes from Google is known by a cookie that no page reads."""
    return PageData(None, meta(CONSENT_TITLE))


def consent_page() -> rx.Component:
    """Asked of whoever comes from Google for the first time, before there is an account."""
    return card(
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
        rx.el.p(way(_("Volver a entrar"), LOGIN), class_name="account-card__more"),
    )
