"""Buttons to ask the shop by WhatsApp about a page, and to share the page."""

from dataclasses import dataclass
from typing import Any

import reflex as rx

from backend.core.texts import _
from storefront.components.icons import icon
from storefront.reflex_ext.hooks import encoded, script, view
from storefront.state.frame import FrameState


@dataclass(frozen=True, slots=True)
class Sharing:
    """The result of sharing (`copied`, `failed` or empty), and the React props of the share button."""

    result: str
    button: Any


def whatsapp_button(words: str, label: str = _("Pregúntanos por WhatsApp")) -> rx.Component:
    """Build a link that writes to the shop by WhatsApp, if the shop has a WhatsApp number.

    Args:
        words: the message that WhatsApp prefills. The customer can change it.
        label: the link's text.
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
    """Build a button that shares the page with the device's share dialog, or copies its URL."""
    sharing = view(script("share"), "useShare", Sharing, page, title)
    words = rx.match(
        sharing.result, ("copied", _("Enlace copiado")), ("failed", _("No se pudo copiar")), _("Compartir")
    )
    return rx.el.button(
        rx.cond(sharing.result == "copied", icon("check", size=20), icon("share", size=20)),
        rx.el.span(words, custom_attrs={"aria-live": "polite"}),
        type="button",
        class_name="button button--quiet button--small share",
        data_testid="share",
        special_props=[sharing.button],
    )
