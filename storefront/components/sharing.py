"""Asking the shop by WhatsApp about what a page shows, and sharing the page."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import encoded, script, view
from storefront.state.frame import FrameState


@dataclass(frozen=True, slots=True)
class Sharing:
    """What came of sharing (`copied`, `failed` or nothing yet), and the properties of its button."""

    said: str
    button: Any


def whatsapp(words: str, label: str = _("Pregúntanos por WhatsApp")) -> rx.Component:
    """A link that writes to the shop, where it has a number.

    Args:
        words: what the message begins with; it holds the page's address.
        label: what the link says.
    """
    link = FrameState.shop.whatsapp_link
    return rx.cond(
        link != "",
        rx.el.a(
            icon("chat", size=20),
            label,
            href=f"{link}?text={encoded(rx.Var.create(words))}",
            class_name="button button--quiet button--small",
            rel="noopener",
            target="_blank",
            data_testid="whatsapp",
        ),
    )


@rx.memo
def share_button(page: rx.Var[str], title: rx.Var[str]) -> rx.Component:
    """Shares the page at this address by the system's sheet, or copies its address."""
    sharing = view(script("share"), "useShare", Sharing, page, title)
    words = rx.match(
        sharing.said, ("copied", _("Enlace copiado")), ("failed", _("No se pudo copiar")), _("Compartir")
    )
    return rx.el.button(
        rx.cond(sharing.said == "copied", icon("check", size=20), icon("share", size=20)),
        rx.el.span(words, custom_attrs={"aria-live": "polite"}),
        type="button",
        class_name="button button--quiet button--small share",
        data_testid="share",
        special_props=[sharing.button],
    )
