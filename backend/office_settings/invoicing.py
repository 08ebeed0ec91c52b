"""Settings of invoices: the provider, and the range of numbers that the DIAN authorized.

They cannot be set in the environment. Without a provider, the shop creates no invoices.
"""

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditActor
from backend.core.errors import InvalidData
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.office_settings.models import StoredSetting
from backend.office_settings.service import store_settings

PREFIX = "invoice_"
"""Prefix of these settings in the table."""

Day = Annotated[date | None, BeforeValidator(lambda value: value or None)]


def _parse_thousands(value: object) -> object:
    """Parse a number with thousands separators ("1.000"), which Pydantic would read as a fraction."""
    if not isinstance(value, str) or not value:
        return value or None
    if (number := parse_pesos(value)) is None:
        raise ValueError("not a whole number")
    return number


Number = Annotated[Annotated[int, Field(ge=1, le=999_999_999)] | None, BeforeValidator(_parse_thousands)]

TAX_LEVELS = {
    "R-99-PN": _("Ninguna de estas"),
    "O-13": _("Gran contribuyente"),
    "O-15": _("Autorretenedor"),
    "O-23": _("Agente de retención de IVA"),
    "O-47": _("Régimen simple de tributación"),
}
"""The seller's tax responsibilities (annex 1.9, table 13.2.6.1)."""


class Invoicing(BaseModel):
    """The settings of invoices. Texts may be empty and numbers may be missing: `problems` reports them.

    `resolution` is the number of the DIAN's resolution, and `dated` the day on which it was issued. The range
    of invoice numbers and the range of valid days, in Colombia, include both ends. `technical_key` is the key
    that the DIAN assigned to the range of numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: str = Field(default="", pattern=r"^[a-z0-9_]{0,40}$")
    resolution: str = Field(default="", pattern=r"^\d{0,20}$")
    dated: Day = None
    prefix: str = Field(default="", pattern=r"^[A-Z0-9]{0,4}$")
    first: Number = None
    last: Number = None
    valid_from: Day = None
    valid_until: Day = None
    technical_key: str = Field(default="", pattern=r"^[0-9A-Za-z]{0,100}$")
    credit_prefix: str = Field(default="NC", pattern=r"^[A-Z0-9]{1,4}$")
    tax_level: str = Field(default="R-99-PN", pattern="^(R-99-PN|O-13|O-15|O-23|O-47)$")

    @property
    def is_on(self) -> bool:
        """True if the shop creates invoices."""
        return bool(self.provider)

    def problems(self) -> dict[str, str]:
        """Return missing and inconsistent settings by name; empty while invoices are off."""
        if not self.is_on:
            return {}
        needed = ("resolution", "dated", "first", "last", "valid_from", "valid_until", "technical_key")
        found = {name: _("Falta este dato.") for name in needed if not getattr(self, name)}
        if self.first and self.last and self.last < self.first:
            found["last"] = _("El último número es menor que el primero.")
        if self.valid_from and self.valid_until and self.valid_until < self.valid_from:
            found["valid_until"] = _("La vigencia termina antes de empezar.")
        if self.credit_prefix == self.prefix:
            found["credit_prefix"] = _("Las notas crédito necesitan un prefijo distinto.")
        return found


MESSAGES = {
    "prefix": _("El prefijo tiene hasta 4 letras mayúsculas o números."),
    "credit_prefix": _("El prefijo tiene hasta 4 letras mayúsculas o números."),
    "resolution": _("Solo el número de la resolución, sin puntos."),
    "technical_key": _("La clave técnica solo tiene letras y números."),
}
INVALID_VALUE = _("Revisa este dato.")


async def read_invoicing(session: AsyncSession) -> Invoicing:
    """Return the saved settings of invoices."""
    return Invoicing.model_validate(await _read_saved(session))


async def save_invoicing(session: AsyncSession, actor: AuditActor, typed: Mapping[str, str]) -> Invoicing:
    """Save these values, by the names of the fields of `Invoicing`.

    Other fields stay unchanged. Changes apply immediately.

    Raises:
        InvalidData: a value is invalid or missing; `fields` has the errors.
    """
    changes = {name: " ".join(str(value).split()) for name, value in typed.items()}
    for name in ("prefix", "credit_prefix"):
        if name in changes:
            changes[name] = changes[name].upper()
    try:
        invoicing = Invoicing.model_validate({**await _read_saved(session), **changes})
    except ValidationError as error:
        names = [str(problem["loc"][0]) for problem in error.errors() if problem["loc"]]
        raise InvalidData(
            "A setting is invalid", fields={name: MESSAGES.get(name, INVALID_VALUE) for name in names}
        ) from None
    if problems := invoicing.problems():
        raise InvalidData("The settings of invoices are not complete", fields=problems)
    for name in ("first", "last"):
        if name in changes:
            changes[name] = str(getattr(invoicing, name) or "")
    await store_settings(session, actor, {f"{PREFIX}{name}": value for name, value in changes.items()})
    return invoicing


async def _read_saved(session: AsyncSession) -> dict[str, str]:
    rows = await session.execute(
        select(StoredSetting.name, StoredSetting.value).where(
            StoredSetting.name.startswith(PREFIX, autoescape=True)
        )
    )
    return {
        name.removeprefix(PREFIX): value
        for name, value in rows
        if name.removeprefix(PREFIX) in Invoicing.model_fields
    }
