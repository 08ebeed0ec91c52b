"""Form fields of a bank account."""

from typing import Any

import reflex as rx

from backend.core.texts import _
from backend.returns.forms import ACCOUNT_TYPES
from storefront.office.components.forms import office_field, office_select


def account_form_fields(state: Any, form: str, account: Any = None) -> list[rx.Component]:
    """Return the fields of a bank account, filled with the saved `account` if there is one."""

    def line(name: str, label: str, **more: Any) -> rx.Component:
        value = "" if account is None else getattr(account, name)
        return office_field(state, form, name, label, auto_complete="off", default_value=value, **more)

    options = [rx.el.option(label, value=value) for value, label in ACCOUNT_TYPES.items()]
    return [
        line("bank", _("Banco")),
        office_select(
            state,
            form,
            "account_type",
            _("Tipo de cuenta"),
            [rx.el.option(_("Elige"), value=""), *options],
            default_value="" if account is None else account.account_type,
        ),
        line("account_number", _("Número de la cuenta"), input_mode="numeric"),
        line("holder", _("De quién es la cuenta")),
        line("document", _("Documento de quien la tiene")),
    ]
