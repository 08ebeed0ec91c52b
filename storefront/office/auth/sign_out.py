"""Sign-out from the office."""

import reflex as rx

from backend.core.texts import _
from storefront.office.navigation import SIGN_IN
from storefront.pages.account.forms import sign_out_button as http_sign_out


def sign_out() -> rx.Component:
    """Render a button that ends this browser's session."""
    return http_sign_out("/auth/staff/logout", _("Salir"), SIGN_IN, "office-leave")


def sign_out_everywhere() -> rx.Component:
    """Render a button that ends all sessions of the staff member, including this one."""
    return http_sign_out(
        "/auth/staff/logout-everywhere", _("Salir en todas partes"), SIGN_IN, "office-leave-everywhere"
    )
