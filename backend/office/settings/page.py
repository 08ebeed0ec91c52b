"""What Ajustes shows beside its form: the ways to pay and to ship, and switching them off and on."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.ext.asyncio import AsyncSession

from backend.core.config.modules import CARRIER, GATEWAY_PSE, MANUAL, SYSTEM_PAYMENT
from backend.core.config.settings import Settings
from backend.core.errors import Conflict, NotFound
from backend.core.texts import _
from backend.office.settings.form import shop_values
from backend.office.team.account import missing_factor
from backend.payment.regions import offer_provider
from backend.payment.sessions import offered_providers
from backend.shipping.provider_switches import providers_off, switch_provider
from backend.staff.rights import Actor, Right
from backend.staff.service import read_staff


class Trial(StrEnum):
    """What can be tried out from the office."""

    GATEWAY = "gateway"
    CARRIER = "carrier"
    MAIL = "mail"
    TEST_MAIL = "test_mail"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """A provider as people call it, and what trying it out asks; None where everything is done by hand."""

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
    MANUAL: ProviderKind(_("Entrega propia"), _("Recoger en la tienda, o envíos que haces tú.")),
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
    """A way to pay or to ship.

    Attributes:
        trial: what `Probar` asks for; empty without such a button.
        warning: what switching it off would mean, where the shop could then sell nothing in its own pages.
    """

    id: str
    name: str
    about: str
    is_on: bool
    trial: str
    warning: str


@dataclass(frozen=True, slots=True)
class ShopPage:
    """All that Ajustes shows.

    Attributes:
        texts: what the form holds, by field.
        seen: the same, for the browser to send back: see `EditForm`.
        cannot_sell: why nobody can buy in the shop's own pages now; empty while they can.
        missing: `PROVE` or `ENROL` of `team` where the actor cannot change anything yet.
    """

    texts: dict[str, str]
    seen: str
    payments: list[ProviderRow]
    shippings: list[ProviderRow]
    cannot_sell: str
    missing: str
    has_mail_server: bool
    has_webhook: bool


class LastWay(Conflict):
    """Without it nobody can buy in the shop's own pages. `warning` says so to whoever switches it off."""

    def __init__(self, warning: str) -> None:
        super().__init__("Without it the shop cannot sell")
        self.warning = warning


async def shop_page(
    session: AsyncSession,
    actor: Actor,
    settings: Settings,
    payments: Collection[str],
    shippings: Collection[str],
) -> ShopPage:
    """The page. It can be read without the second factor.

    `payments` and `shippings` are the ids of the providers that the shop runs with.

    Raises:
        Forbidden: the actor's role may not see it.
    """
    actor.require_role(Right.CHANGE_SHOP)
    texts = await shop_values(session, settings)
    paid_by, shipped_by = await _on(session, payments, shippings)
    member = await read_staff(session, actor, actor.id)
    return ShopPage(
        texts=texts,
        seen=json.dumps(texts, ensure_ascii=False),
        payments=[
            _row(one, PAYMENT_KINDS, paid_by, _payment_warning(one))
            for one in _in_order(payments, PAYMENT_KINDS)
        ],
        shippings=[
            _row(one, SHIPPING_KINDS, shipped_by, _shipping_warning(one, shipped_by))
            for one in _in_order(shippings, SHIPPING_KINDS)
        ],
        cannot_sell=_cannot_sell(paid_by, shipped_by),
        missing=missing_factor(actor, is_enrolled=member.has_second_factor),
        has_mail_server=bool(settings.smtp_host),
        has_webhook=bool(texts["alert_webhook"]),
    )


async def switch(
    session: AsyncSession,
    actor: Actor,
    provider_id: str,
    *,
    is_on: bool,
    is_sure: bool = False,
    running: tuple[Collection[str], Collection[str]],
) -> None:
    """Offer a way to pay or to ship, or no longer. Payments under way end, and paid orders are sent, all the same.

    Args:
        actor: who does it.
        provider_id: which.
        is_on: whether it is offered from now on.
        is_sure: they were told that nobody can buy then, and want it.
        running: the ids of the payment and of the fulfillment providers that the shop runs with.

    Raises:
        NotFound: the shop runs with no such provider.
        LastWay: nobody could buy then, and the actor was not told.
    """
    actor.require(Right.CHANGE_SHOP)
    payments, shippings = running
    if provider_id in payments:
        await offer_provider(session, actor, provider_id, is_on=is_on)
        warning = _payment_warning(provider_id)
    elif provider_id in shippings:
        await switch_provider(session, actor, provider_id, is_on=is_on)
        _paid_by, left = await _on(session, payments, shippings)
        warning = "" if left else NO_SHIPPING
    else:
        raise NotFound(f"The shop does not run with {provider_id}")
    if warning and not is_on and not is_sure:
        raise LastWay(warning)  # which takes back what was done


NO_PAYMENT = _("Nadie podrá pagar en tu tienda: sus páginas solo cobran por PSE.")
NO_SHIPPING = _("Nadie podrá comprar en tu tienda: no queda ninguna forma de recibir el pedido.")


async def _on(
    session: AsyncSession, payments: Collection[str], shippings: Collection[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Those that are on, of the ways to pay and of the ways to ship."""
    paid_by = (await offered_providers(session, None)) & set(payments)
    return paid_by, frozenset(shippings) - await providers_off(session)


def _payment_warning(provider_id: str) -> str:
    return NO_PAYMENT if provider_id == GATEWAY_PSE else ""


def _shipping_warning(provider_id: str, on: Collection[str]) -> str:
    return NO_SHIPPING if set(on) <= {provider_id} else ""


def _cannot_sell(paid_by: Collection[str], shipped_by: Collection[str]) -> str:
    if GATEWAY_PSE not in paid_by:
        return _("Tu tienda no está vendiendo: PSE está apagado.")
    if not shipped_by:
        return _("Tu tienda no está vendiendo: no hay ninguna forma de recibir el pedido.")
    return ""


def _in_order(running: Collection[str], kinds: Mapping[str, ProviderKind]) -> list[str]:
    """The providers that the shop runs with, those that people know first."""
    return [*(one for one in kinds if one in running), *(one for one in running if one not in kinds)]


def _row(provider_id: str, kinds: dict[str, ProviderKind], on: Collection[str], warning: str) -> ProviderRow:
    kind = kinds.get(provider_id, ProviderKind(provider_id, ""))
    is_on = provider_id in on
    return ProviderRow(provider_id, kind.name, kind.about, is_on, kind.trial or "", warning if is_on else "")
