"""The settings form: the shop's data, its warehouse, its delivery days, its limits and its alerts.

Saved values apply immediately on every replica. If two people edit the form at the same time, nothing is lost: a
value that only one of them changed is merged, and for a value that both changed, the person who saves later must
decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic_core import PydanticCustomError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import GatewayEnv, Settings
from backend.core.dates import hour_label
from backend.core.errors import Conflict, InvalidData
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.core.web.contact import field_error, is_plain_url, require_email, to_one_line
from backend.office.settings.shop_data_rules import RULES, Rule
from backend.office_settings import (
    NO_SUMMARY,
    SavedSettings,
    lock_settings,
    read_cart_reminders,
    read_effective_settings,
    read_low_stock,
    read_summary_hour,
    save_settings,
)
from backend.shipping.municipalities import Municipality, find_municipality_by_code
from backend.shipping.providers.carrier.label_address import fit_label_address
from backend.shipping.warehouse_address import WAREHOUSE_SETTINGS, move_warehouse
from backend.staff.rights import Actor, Right

SHOP = (
    "store_name", "store_legal_name", "store_nit", "store_address", "store_notice_address", "store_phone",
    "store_email", "store_whatsapp", "store_hours", "store_about",
)  # fmt: skip
WAREHOUSE = (
    "carrier_origin_company", "carrier_origin_first_name", "carrier_origin_last_name", "carrier_origin_phone",
    "carrier_origin_email", "town", "carrier_origin_address", "carrier_origin_suburb", "carrier_origin_cross_street",
    "carrier_origin_reference",
)  # fmt: skip
DELIVERY = ("packing_days", "cutoff_hour")
NUMBERS = ("low_stock_at", "manual_payment_days", "label_over_paid", "sell_discount_percent")
LIMITS = (*NUMBERS, "refuse_unquoted")
ALERTS = (
    "alert_email", "alert_webhook", "alert_no_sale_hours", "alert_failing_minutes", "alert_disk_free_mb",
    "alert_certificate_days",
)  # fmt: skip
SUMMARY = "daily_summary_hour"
REMINDERS = "cart_reminders"
FIELDS = (*SHOP, *WAREHOUSE, *DELIVERY, *LIMITS, *ALERTS, SUMMARY, REMINDERS)
"""Names of the form's fields: those of the settings, and `town` for the warehouse's municipality."""
DANE_CODE = "carrier_origin_dane_code"
LABELS = {
    "store_name": _("Nombre de la tienda"),
    "store_legal_name": _("Razón social"),
    "store_nit": _("NIT"),
    "store_address": _("Dirección"),
    "store_notice_address": _("Dirección para notificaciones judiciales"),
    "store_phone": _("Teléfono"),
    "store_email": _("Correo"),
    "store_whatsapp": _("WhatsApp"),
    "store_hours": _("Horario de atención"),
    "store_about": _("La tienda en una frase"),
    "carrier_origin_company": _("Empresa que despacha"),
    "carrier_origin_first_name": _("Nombre de quien despacha"),
    "carrier_origin_last_name": _("Apellido de quien despacha"),
    "carrier_origin_phone": _("Teléfono de la bodega"),
    "carrier_origin_email": _("Correo de la bodega"),
    "town": _("Municipio de la bodega"),
    DANE_CODE: _("Municipio de la bodega"),
    "carrier_origin_address": _("Dirección de la bodega"),
    "carrier_origin_suburb": _("Barrio"),
    "carrier_origin_cross_street": _("Esquina o cruce"),
    "carrier_origin_reference": _("Cómo encontrarla"),
    "packing_days": _("Días hábiles para alistar un pedido"),
    "cutoff_hour": _("Hora de corte, de 1 a 23"),
    "low_stock_at": _("Avisar cuando queden pocas unidades"),
    "manual_payment_days": _("Días que se aparta un pedido por confirmar"),
    "label_over_paid": _("Pesos que una guía puede costar de más"),
    "sell_discount_percent": _("Descuento máximo de quien vende, en porcentaje"),
    "refuse_unquoted": _("Si ninguna transportadora cotiza un municipio"),
    "alert_email": _("Correo para los avisos"),
    "alert_webhook": _("Webhook para los avisos"),
    "alert_no_sale_hours": _("Horas sin ventas"),
    "alert_failing_minutes": _("Minutos que un servicio lleva fallando"),
    "alert_disk_free_mb": _("MiB libres en el disco"),
    "alert_certificate_days": _("Días que le quedan al certificado"),
    SUMMARY: _("Resumen diario por correo"),
    REMINDERS: _("Recordar los carritos abandonados"),
}
"""Labels of the settings, in the form and in the audit."""
WAREHOUSE_DOOR = ("carrier_origin_address", "carrier_origin_reference", "carrier_origin_cross_street")
"""Settings that form the warehouse's street address, in the order of `fit_label_address`."""
_TOO_LONG = _("No cabe en la guía: acorta la dirección, el cruce o cómo encontrarla.")
YES, NO = "true", "false"
CHOICES = {
    "refuse_unquoted": {NO: _("Vender con la tarifa fija y avisarnos"), YES: _("No vender allá")},
    REMINDERS: {NO: _("No escribir"), YES: _("Escribir una sola vez a quien lo aceptó")},
    SUMMARY: {str(NO_SUMMARY): _("No enviarlo"), **{str(hour): hour_label(hour) for hour in range(24)}},
}
"""Settings with a fixed list of values: the label of each value."""
MAX_FIELD_LENGTH = 500
"""Maximum number of characters of a field."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that two people changed, with the value that the other person saved."""

    name: str
    theirs: str


class ShopClashes(Conflict):
    """Another person changed the same fields since the form was shown."""

    def __init__(self, clashes: Sequence[Clash]) -> None:
        super().__init__("Others changed the same fields: " + ", ".join(clash.name for clash in clashes))
        self.clashes = clashes


async def read_shop_values(session: AsyncSession, settings: Settings) -> dict[str, str]:
    """Return the effective settings as values of the form, by field."""
    effective = await read_effective_settings(session, settings)
    values = {name: str(getattr(effective, name, "")) for name in FIELDS}
    values["refuse_unquoted"] = YES if effective.refuse_unquoted else NO
    values["low_stock_at"] = str(await read_low_stock(session))
    values[SUMMARY] = str(await read_summary_hour(session))
    values[REMINDERS] = YES if await read_cart_reminders(session) else NO
    town = find_municipality_by_code(effective.carrier_origin_dane_code)
    values["town"] = town_label(town) if town else ""
    return values


def format_setting(name: str, value: str) -> str:
    """Return a stored value as people read it: the name of a municipality, or the label of a choice."""
    if name in CHOICES:
        return CHOICES[name].get(value, value)
    town = find_municipality_by_code(value) if name == DANE_CODE else None
    return town_label(town) if town else value


def town_label(town: Municipality) -> str:
    """Return the text of a municipality in the form, such as `Cali, Valle del Cauca`."""
    return f"{town.name}, {town.department}"


async def save_shop(
    session: AsyncSession,
    actor: Actor,
    settings: Settings,
    typed: Mapping[str, str],
    seen: Mapping[str, str],
) -> list[str]:
    """Save the values that the actor has changed: either all of them, or none.

    A value is changed if the text in `typed` differs from the text in `seen`, the values that the form showed. If
    the shop has exactly one warehouse, the warehouse gets the address in the settings, so that shipping is priced
    from there. Several warehouses keep their addresses.

    Returns:
        The names of the changed fields.

    Raises:
        InvalidData: a value is invalid; `fields` has the errors.
        ShopClashes: another person changed the same fields.
    """
    actor.require(Right.CHANGE_SHOP)
    await lock_settings(session)
    stored = await read_shop_values(session, settings)
    values = {name: to_one_line(typed[name]) for name in FIELDS}
    changed = {name: text for name, text in values.items() if text not in {seen[name], stored[name]}}
    clashes = [Clash(name, stored[name]) for name in changed if stored[name] != seen[name]]
    if clashes:
        raise ShopClashes(clashes)
    checked = _validate_values(changed, settings)
    changes = {name: value for name, value in checked.items() if value != stored[name]}
    if not changes:
        return []
    if "town" in changes:
        changes[DANE_CODE] = changes.pop("town")
    await save_settings(session, actor, changes)
    effective = await read_effective_settings(session, settings)
    if not changes.keys().isdisjoint(WAREHOUSE_DOOR):
        _require_label_address(effective)
    if changes.keys() & WAREHOUSE_SETTINGS:
        await move_warehouse(session, actor, effective)
    return list(changes)


def _require_label_address(effective: Settings) -> None:
    if fit_label_address(*(getattr(effective, name) for name in WAREHOUSE_DOOR)) is None:
        raise InvalidData("Some settings are invalid", fields={"carrier_origin_address": _TOO_LONG})


def _validate_values(typed: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """Validate the typed values, and return the texts to store. A municipality is stored as its code.

    Raises:
        InvalidData: a value is invalid; `fields` has the errors.
    """
    problems, checked = {}, {}
    for name, text in typed.items():
        try:
            checked[name] = _RULES[name](text)
        except PydanticCustomError as error:
            problems[name] = error.message()
    url = checked.get("alert_webhook", "")
    if url and not settings.alert_webhook_secret.get_secret_value():
        problems["alert_webhook"] = _(
            "Falta ALERT_WEBHOOK_SECRET en el servidor: con él se firman los avisos."
        )
    elif url and settings.gateway_env is GatewayEnv.PRODUCTION and not url.startswith("https://"):
        problems["alert_webhook"] = _("La dirección debe empezar por https://.")
    if problems:
        raise InvalidData("Some settings are invalid", fields=problems)
    return checked


def _optional_email_rule(text: str) -> str:
    return require_email(text) if text else ""


def _url_rule(text: str) -> str:
    if text and not is_plain_url(text, {"http", "https"}):
        raise field_error(
            _("Escribe una dirección completa, como https://ejemplo.com/avisos, o déjala vacía.")
        )
    return text.rstrip("/")


def _choice_rule(name: str, message: str) -> Rule:
    def rule(text: str) -> str:
        if text not in CHOICES[name]:
            raise field_error(message)
        return text

    return rule


def _number_rule(name: str) -> Rule:
    bounds = {type(one).__name__: one for one in SavedSettings.model_fields[name].metadata}
    least, most = bounds["Ge"].ge, bounds["Le"].le

    def rule(text: str) -> str:
        number = parse_pesos(text)
        if number is None or not least <= number <= most:
            raise field_error(
                _("Escribe un número entero entre {least} y {most}.").format(least=least, most=most)
            )
        return str(number)

    return rule


_RULES: dict[str, Rule] = {
    **RULES,
    "alert_email": _optional_email_rule,
    "alert_webhook": _url_rule,
    **{name: _number_rule(name) for name in (*DELIVERY, *NUMBERS, *ALERTS[2:])},
    "refuse_unquoted": _choice_rule("refuse_unquoted", _("Elige una de las dos.")),
    REMINDERS: _choice_rule(REMINDERS, _("Elige una de las dos.")),
    SUMMARY: _choice_rule(SUMMARY, _("Elige una hora de la lista.")),
}
