"""The settings screen outside its form: payment and shipping providers, and how to enable and disable them."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import CARRIER, GATEWAY_PSE, MANUAL, OWN_DELIVERY, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.config.version import VERSION
from backend.core.errors import Conflict, NotFound
from backend.core.texts import _
from backend.office.settings.form import read_shop_values
from backend.office.settings.webhooks import WebhookRow, read_webhook_rows
from backend.office.team.account import missing_factor
from backend.payment.regions import set_provider_enabled
from backend.payment.sessions import list_offered_providers
from backend.shipping.models import ShippingOption
from backend.shipping.provider_switches import list_disabled_providers, switch_provider
from backend.staff.rights import Actor, Right
from backend.staff.service import read_staff


class Trial(StrEnum):
    """A connection that can be tested from the office."""

    GATEWAY = "gateway"
    CARRIER = "carrier"
    MAIL = "mail"
    TEST_MAIL = "test_mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """Name and description of a provider, and the connection by which it can be tested; None if it has no test."""

    name: str
    about: str
    trial: Trial | None = None


PAYMENT_KINDS = {
    GATEWAY_PSE: ProviderKind(
        _("PSE"), _("El débito bancario con el que pagan en tu tienda."), Trial.GATEWAY
    ),
    SYSTEM_PAYMENT: ProviderKind(
        _("Pago por confirmar"),
        _("Para pedidos de otras aplicaciones: alguien confirma la consignación en el pedido."),
    ),
}
SHIPPING_KINDS = {
    CARRIER: ProviderKind(
        _("Transportadora"), _("Envío a domicilio, con precio en vivo y guía."), Trial.CARRIER
    ),
    MANUAL: ProviderKind(_("Recoger en la tienda"), _("Recoger en la tienda, o un envío de precio fijo.")),
    OWN_DELIVERY: ProviderKind(
        _("Entrega propia"), _("Domicilios que haces tú, por zonas: se arman en Entregas.")
    ),
}
PROVIDER_NAMES = {name: kind.name for name, kind in (PAYMENT_KINDS | SHIPPING_KINDS).items()}
TRIAL_NAMES = {
    Trial.GATEWAY.value: _("la pasarela de pagos"),
    Trial.CARRIER.value: _("la transportadora"),
    Trial.MAIL.value: _("el servidor de correo"),
    Trial.TEST_MAIL.value: _("un correo"),
    Trial.WEBHOOK.value: _("el webhook de avisos"),
}


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """A payment or shipping provider.

    Attributes:
        trial: the connection that the button `Probar` tests; empty without a button.
        warning: warning before the provider is disabled, if the shop's pages could then sell nothing.
    """

    id: str
    name: str
    about: str
    is_on: bool
    trial: str
    warning: str


@dataclass(frozen=True, slots=True)
class ShopPage:
    """The settings screen.

    Attributes:
        texts: values of the form by field.
        seen: the same values as JSON, which the browser sends back: see `EditForm`.
        cannot_sell: why customers cannot buy on the shop's pages; empty if they can.
        missing: the step that the actor must take before a change, `PROVE` or `ENROL`; empty if none.
    """

    texts: dict[str, str]
    seen: str
    payments: list[ProviderRow]
    shippings: list[ProviderRow]
    cannot_sell: str
    missing: str
    has_mail_server: bool
    has_webhook: bool
    version: str
    """Version of the program. Only the office shows it."""
    webhooks: list[WebhookRow]


class LastProvider(Conflict):
    """The shop's pages could sell nothing without this provider, so the actor must confirm that it is disabled.

    `warning` is the message for the actor.
    """

    def __init__(self, warning: str) -> None:
        super().__init__("Without it the shop cannot sell")
        self.warning = warning


async def shop_page(
    session: AsyncSession,
    actor: Actor,
    settings: Settings,
    payments: Mapping[str, str],
    shippings: Collection[str],
) -> ShopPage:
    """Return the settings screen. Reading it does not need the second factor.

    `payments` maps the id of each installed payment provider to its name on the checkout page; the name is empty
    if this page cannot offer the provider. `shippings` has the ids of the installed shipping providers.

    Raises:
        Forbidden: the actor may not see the settings.
    """
    actor.require_role(Right.CHANGE_SHOP)
    texts = await read_shop_values(session, settings)
    paid_by, shipped_by = await _enabled_providers(session, payments, shippings)
    selling = await _drop_without_options(session, shipped_by)
    member = await read_staff(session, actor, actor.id)
    return ShopPage(
        texts=texts,
        seen=json.dumps(texts, ensure_ascii=False),
        payments=[
            _provider_row(
                one, PAYMENT_KINDS, paid_by, _payment_warning(one, payments, paid_by), payments[one]
            )
            for one in _sort_providers(payments, PAYMENT_KINDS)
        ],
        shippings=[
            _provider_row(one, SHIPPING_KINDS, shipped_by, _shipping_warning(one, selling))
            for one in _sort_providers(shippings, SHIPPING_KINDS)
        ],
        cannot_sell=_cannot_sell({one for one in paid_by if payments[one]}, selling),
        missing=missing_factor(actor, is_enrolled=member.has_second_factor),
        has_mail_server=bool(settings.smtp_host),
        has_webhook=bool(texts["alert_webhook"]),
        version=VERSION,
        webhooks=await read_webhook_rows(session, actor),
    )


async def switch_shop_provider(
    session: AsyncSession,
    actor: Actor,
    provider_id: str,
    *,
    is_on: bool,
    is_sure: bool = False,
    installed: tuple[Mapping[str, str], Collection[str]],
) -> None:
    """Enable or disable a payment or shipping provider.

    Running payments still finish, and paid orders are still shipped.

    Args:
        session: for writing.
        actor: the staff member who makes the change.
        provider_id: the provider.
        is_on: True to enable it.
        is_sure: True if the actor has confirmed the warning.
        installed: the installed payment and shipping providers, like `payments` and `shippings` of `shop_page`.

    Raises:
        NotFound: the provider is not installed.
        LastProvider: customers could no longer buy, and the actor has not confirmed it.
    """
    actor.require(Right.CHANGE_SHOP)
    payments, shippings = installed
    if provider_id in payments:
        await set_provider_enabled(session, actor, provider_id, is_enabled=is_on)
        warning = _payment_warning(
            provider_id, payments, await list_offered_providers(session, None) | {provider_id}
        )
    elif provider_id in shippings:
        await switch_provider(session, actor, provider_id, is_on=is_on)
        _paid_by, enabled = await _enabled_providers(session, payments, shippings)
        warning = "" if await _drop_without_options(session, enabled) else NO_SHIPPING
    else:
        raise NotFound(f"The shop does not run with {provider_id}")
    if warning and not is_on and not is_sure:
        raise LastProvider(warning)  # rolls the change back


NO_PAYMENT = _("Nadie podrá pagar en tu tienda: no queda otra forma de pago en sus páginas.")
NO_SHIPPING = _("Nadie podrá comprar en tu tienda: no queda ninguna forma de recibir el pedido.")


async def _enabled_providers(
    session: AsyncSession, payments: Collection[str], shippings: Collection[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids in `payments` and the ids in `shippings` whose providers are enabled."""
    paid_by = (await list_offered_providers(session, None)) & set(payments)
    return paid_by, frozenset(shippings) - await list_disabled_providers(session)


async def _drop_without_options(session: AsyncSession, enabled: frozenset[str]) -> frozenset[str]:
    """Return `enabled` without own delivery if own delivery has no zone, because then no shopper can choose it."""
    zones = select(ShippingOption.id).where(
        ShippingOption.provider_id == OWN_DELIVERY, ShippingOption.deleted_at.is_(None)
    )
    has_zones = (await session.execute(zones.limit(1))).first() is not None
    return enabled if has_zones else enabled - {OWN_DELIVERY}


def _payment_warning(provider_id: str, payments: Mapping[str, str], on: Collection[str]) -> str:
    """Return the warning if this is the only enabled provider on the checkout page; empty otherwise."""
    offered = {one for one in on if payments.get(one)}
    return NO_PAYMENT if offered == {provider_id} else ""


def _shipping_warning(provider_id: str, on: Collection[str]) -> str:
    return NO_SHIPPING if set(on) <= {provider_id} else ""


def _cannot_sell(paid_by: Collection[str], shipped_by: Collection[str]) -> str:
    if not paid_by:
        return _("Tu tienda no está vendiendo: no hay ninguna forma de pago encendida en sus páginas.")
    if not shipped_by:
        return _("Tu tienda no está vendiendo: no hay ninguna forma de recibir el pedido.")
    return ""


def _sort_providers(installed: Collection[str], kinds: Mapping[str, ProviderKind]) -> list[str]:
    """Return the installed providers: first those in `kinds`, then the others."""
    return [*(one for one in kinds if one in installed), *(one for one in installed if one not in kinds)]


def _provider_row(
    provider_id: str, kinds: dict[str, ProviderKind], on: Collection[str], warning: str, name: str = ""
) -> ProviderRow:
    kind = kinds.get(provider_id, ProviderKind(name or provider_id, ""))
    is_on = provider_id in on
    return ProviderRow(provider_id, kind.name, kind.about, is_on, kind.trial or "", warning if is_on else "")
