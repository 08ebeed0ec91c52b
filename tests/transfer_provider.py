"""A second payment provider for tests: a bank transfer that staff confirm, with a field for the payer's bank."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import update

from backend.app import Shop
from backend.channels.models import Region
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import Settings
from backend.core.errors import InvalidData, OutsideFailure
from backend.payment.providers.base import (
    CheckedPayer,
    Choice,
    InitiationResult,
    PayerField,
    PaymentInstructions,
    PaymentRequest,
    ProviderState,
)
from backend.payment.providers.system_default import SystemDefault

TRANSFER = "transfer"
FROM_BANK = "transfer_from"
NO_BANK = "Elige desde qué banco transfieres."


class Transfer(SystemDefault):
    """A payment provider that adds a field to the checkout, and shows instructions to the customer."""

    id = TRANSFER
    asks_payer = True
    asks_document = True
    shopper_name = "Transferencia"
    shopper_note = "Te damos la cuenta y la referencia."
    payer_fields = (PayerField(FROM_BANK, "Tu banco", "Desde donde transfieres."),)
    is_failing = False

    def __init__(self, settings: Settings | None = None) -> None:
        """Accept the shop's settings, like the providers of the setting PAYMENT_PROVIDERS."""

    async def list_choices(self, field_name: str) -> list[Choice]:
        if self.is_failing:
            raise OutsideFailure("the list is away")
        return [Choice("nu", "Nu")] if field_name == FROM_BANK else []

    async def check_payer(self, answers: Mapping[str, Any]) -> CheckedPayer:
        if answers.get(FROM_BANK) != "nu":
            raise InvalidData(NO_BANK, fields={FROM_BANK: NO_BANK})
        return CheckedPayer({FROM_BANK: "nu"})

    async def initiate(self, request: PaymentRequest) -> InitiationResult:
        instructions = PaymentInstructions(
            self.shopper_name, "Transfiere el valor exacto.", (("Referencia", request.invoice[-8:]),)
        )
        return InitiationResult(
            state=ProviderState.PENDING, reference=request.invoice[-8:], data=instructions.to_data()
        )


async def add_transfer(shop: Shop, *offered: str) -> Transfer:
    """Add the provider to the shop and return it. The region offers `offered`, or PSE and the transfer."""
    provider = Transfer()
    shop.payments.providers = {**shop.payments.providers, TRANSFER: provider}
    async with shop.database.transaction() as session:
        ids = list(offered or (GATEWAY_PSE, TRANSFER))
        await session.execute(update(Region).values(payment_providers=ids))
    return provider
