"""Signing out of the office."""

import reflex as rx

from backend.core.texts import _
from storefront.office.navigation import ENTER
from storefront.pages.account.forms import sign_out as http_sign_out


def sign_out() -> rx.Component:
    """A button that ends this browser's session."""
    return http_sign_out("/auth/staff/logout", _("Salir"), ENTER, "office-leave")


def sign_out_everywhere() -> rx.Component:
    """A button that ends all sessions of whoever presses it, this one too."""
    return http_sign_out(
        "/auth/staff/logout-everywhere", _("Salir en todas partes"), ENTER, "office-leave-everywhere"
    )
