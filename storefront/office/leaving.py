"""Signing out of the office."""

import reflex as rx

from backend.texts import _
from storefront.office.places import ENTER
from storefront.pages.account.browser import sign_out as http_sign_out


def sign_out() -> rx.Component:
    """A button that ends this browser's session."""
    return http_sign_out("/auth/staff/logout", _("Salir"), ENTER, "office-leave")
