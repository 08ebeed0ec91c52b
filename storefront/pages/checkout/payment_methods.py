"""Payment methods at the checkout: their cards, the options of their fields, and the chosen method."""

import logging
from collections.abc import Iterable, Mapping, Sequence

from backend.app import current_shop
from backend.checkout.form import PAYMENT_PROVIDER
from backend.core.config.modules import GATEWAY_PSE
from backend.core.errors import OutsideFailure
from backend.payment.providers.base import Choice, PaymentProvider
from storefront.pages.checkout.views import PaymentChoice, PaymentField, PaymentMethod, SelectOption

log = logging.getLogger(__name__)


def payment_choice(
    providers: Sequence[PaymentProvider], options: Mapping[str, list[SelectOption]]
) -> PaymentChoice:
    """Convert the offered providers to the content of their cards.

    Args:
        providers: the offered providers.
        options: the loaded options by field name. A field that is not among them is not displayed yet, because the
            page does not know whether it is a select element.
    """
    return PaymentChoice(
        methods=[
            PaymentMethod(
                id=provider.id,
                name=provider.shopper_name,
                note=provider.shopper_note,
                fields=[
                    PaymentField(one.name, one.label, one.hint, options[one.name])
                    for one in provider.payer_fields
                    if one.name in options
                ],
            )
            for provider in providers
        ],
        has_cards=any(provider.id != GATEWAY_PSE for provider in providers),
        with_document=[
            provider.id for provider in providers if provider.asks_document or provider.id == GATEWAY_PSE
        ],
        field_names=[one.name for provider in providers for one in provider.payer_fields],
    )


async def list_bank_options() -> list[SelectOption]:
    """Return the banks from which a customer chooses one to pay with PSE.

    Raises:
        OutsideFailure: the banks are not available.
    """
    return _to_options(await current_shop().payments.list_banks())


async def load_options(
    providers: Sequence[PaymentProvider],
) -> tuple[list[PaymentProvider], dict[str, list[SelectOption]]]:
    """Return the providers whose options could be loaded, and the options of their fields by field name."""
    working, options = [], {}
    for provider in providers:
        try:
            for one in provider.payer_fields:
                options[one.name] = _to_options(await provider.list_choices(one.name))
        except OutsideFailure as error:
            log.warning("%s is not offered: %s", provider.id, error.message)
        else:
            working.append(provider)
    return working, options


def _to_options(choices: Iterable[Choice]) -> list[SelectOption]:
    return [SelectOption(choice.code, choice.name) for choice in choices]


def choose_method(providers: Sequence[PaymentProvider], chosen_id: str) -> dict[str, str]:
    """Return the form value of another provider if the chosen one is not offered; {} if it is.

    An empty `chosen_id` means PSE. If no provider is offered, the result is {}.
    """
    offered = [provider.id for provider in providers]
    if not offered or (chosen_id or GATEWAY_PSE) in offered:
        return {}
    return {PAYMENT_PROVIDER: GATEWAY_PSE if GATEWAY_PSE in offered else offered[0]}
