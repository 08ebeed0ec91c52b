"""The form of Ajustes: the shop's own data, its warehouse, its bounds, and what its owner is told.

What is saved stands from then on, on every replica. Two people who save at once lose nothing: what only one of them
changed is merged, and what both did is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic_core import PydanticCustomError
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.settings import GatewayEnv, Settings
from backend.core.errors import Conflict, InvalidData
from backend.core.money import typed_pesos
from backend.core.texts import _
from backend.core.web.contact import invalid, one_line, require_email
from backend.office.settings.shop_data_rules import RULES, Rule
from backend.office_settings import (
    SavedSettings,
    lock_settings,
    read_effective_settings,
    read_low_stock,
    save_settings,
)
from backend.shipping.municipalities import Municipality, municipality
from backend.shipping.providers.carrier.label_address import fit_label_address
from backend.shipping.warehouse_address import WAREHOUSE_ADDRESS, move_warehouse
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
NUMBERS = ("low_stock_at", "manual_payment_days", "label_over_paid")
BOUNDS = (*NUMBERS, "refuse_unquoted")
NOTICES = (
    "alert_email", "alert_webhook", "alert_no_sale_hours", "alert_failing_minutes", "alert_disk_free_mb",
    "alert_certificate_days",
)  # fmt: skip
FIELDS = (*SHOP, *WAREHOUSE, *BOUNDS, *NOTICES)
"""The names of the form's fields: those of the settings, and `town` for the warehouse's municipality."""
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
    "low_stock_at": _("Avisar cuando queden pocas unidades"),
    "manual_payment_days": _("Días que se aparta un pedido por confirmar"),
    "label_over_paid": _("Pesos que una guía puede costar de más"),
    "refuse_unquoted": _("Si ninguna transportadora cotiza un municipio"),
    "alert_email": _("Correo para los avisos"),
    "alert_webhook": _("Webhook para los avisos"),
    "alert_no_sale_hours": _("Horas sin ventas"),
    "alert_failing_minutes": _("Minutos que un servicio lleva fallando"),
    "alert_disk_free_mb": _("MiB libres en el disco"),
    "alert_certificate_days": _("Días que le quedan al certificado"),
}
"""What the settings are called, in the form and in the audit."""
WAREHOUSE_DOOR = ("carrier_origin_address", "carrier_origin_reference", "carrier_origin_cross_street")
"""How the door of the warehouse is found: the settings in the order of `fit_label_address`."""
_TOO_LONG = _("No cabe en la guía: acorta la dirección, el cruce o cómo encontrarla.")
YES, NO = "true", "false"
UNQUOTED = {NO: _("Vender con la tarifa fija y avisarnos"), YES: _("No vender allá")}
"""What each answer to `refuse_unquoted` means."""
LONGEST = 500
"""Characters of a field."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A field that two people changed, and what the other one saved there."""

    name: str
    theirs: str


class ShopClashes(Conflict):
    """Others changed the same since the form was shown."""

    def __init__(self, clashes: Sequence[Clash]) -> None:
        super().__init__("Others changed the same: " + ", ".join(one.name for one in clashes))
        self.clashes = clashes


async def shop_values(session: AsyncSession, settings: Settings) -> dict[str, str]:
    """What the form holds, by field: the effective settings."""
    effective = await read_effective_settings(session, settings)
    values = {name: str(getattr(effective, name, "")) for name in FIELDS}
    values["refuse_unquoted"] = YES if effective.refuse_unquoted else NO
    values["low_stock_at"] = str(await read_low_stock(session))
    town = municipality(effective.carrier_origin_dane_code)
    values["town"] = town_label(town) if town else ""
    return values


def setting_text(name: str, value: str) -> str:
    """Return a stored value as people read it: a municipality by its name, an answer as what it means."""
    if name == "refuse_unquoted":
        return UNQUOTED.get(value, value)
    town = municipality(value) if name == DANE_CODE else None
    return town_label(town) if town else value


def town_label(town: Municipality) -> str:
    """A municipality as its field holds it."""
    return f"{town.name}, {town.department}"


async def save_shop(
    session: AsyncSession,
    actor: Actor,
    settings: Settings,
    typed: Mapping[str, str],
    seen: Mapping[str, str],
) -> list[str]:
    """Let what was typed stand from now on, in place of what was seen; all of it, or nothing.

    The one warehouse that the shop has gets the same address, so that shipping is priced from there; several keep
    their own.

    Returns:
        The names of the fields that changed.

    Raises:
        InvalidData: something does not fit; `fields` says what.
        ShopClashes: others changed the same.
    """
    actor.require(Right.CHANGE_SHOP)
    await lock_settings(session)
    theirs = await shop_values(session, settings)
    wanted = {name: one_line(typed[name]) for name in FIELDS}
    mine = {name: text for name, text in wanted.items() if text not in {seen[name], theirs[name]}}
    clashes = [Clash(name, theirs[name]) for name in mine if theirs[name] != seen[name]]
    if clashes:
        raise ShopClashes(clashes)
    checked = _checked(mine, settings)
    changes = {name: value for name, value in checked.items() if value != theirs[name]}
    if not changes:
        return []
    if "town" in changes:
        changes[DANE_CODE] = changes.pop("town")
    await save_settings(session, actor, changes)
    effective = await read_effective_settings(session, settings)
    if not changes.keys().isdisjoint(WAREHOUSE_DOOR):
        _require_label_address(effective)
    if changes.keys() & WAREHOUSE_ADDRESS:
        await move_warehouse(session, actor, effective)
    return list(changes)


def _require_label_address(effective: Settings) -> None:
    if fit_label_address(*(getattr(effective, name) for name in WAREHOUSE_DOOR)) is None:
        raise InvalidData("The settings do not fit", fields={"carrier_origin_address": _TOO_LONG})


def _checked(typed: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """The values to store; of the municipality its code."""
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
        raise InvalidData("The settings do not fit", fields=problems)
    return checked


def _unquoted(text: str) -> str:
    if text not in UNQUOTED:
        raise invalid(_("Elige una de las dos."))
    return text


def _optional_email(text: str) -> str:
    return require_email(text) if text else ""


def _url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_good = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
        is_good = is_good and (parts.port is None or parts.port > 0)
    except ValueError:
        is_good = False
    if text and (not is_good or " " in text or not text.isascii()):
        raise invalid(_("Escribe una dirección completa, como https://ejemplo.com/avisos, o déjala vacía."))
    return text.rstrip("/")


def _number(name: str) -> Rule:
    bounds = {type(one).__name__: one for one in SavedSettings.model_fields[name].metadata}
    least, most = bounds["Ge"].ge, bounds["Le"].le

    def rule(text: str) -> str:
        number = typed_pesos(text)
        if number is None or not least <= number <= most:
            raise invalid(
                _("Escribe un número entero entre {least} y {most}.").format(least=least, most=most)
            )
        return str(number)

    return rule


_RULES: dict[str, Rule] = {
    **RULES,
    "alert_email": _optional_email,
    "alert_webhook": _url,
    **{name: _number(name) for name in (*NUMBERS, *NOTICES[2:])},
    "refuse_unquoted": _unquoted,
}
