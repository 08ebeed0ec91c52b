"""A checkout whose bank does what the test says, and the worker that does its later work."""

import pytest

from backend.checkout.reservation_expiry import ReservationExpiry
from backend.checkout.service import Checkout
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.jobs import Worker
from backend.payment.providers.system_default import SystemDefault
from backend.payment.service import PaymentService
from backend.shipping.providers.base import FulfillmentProvider
from backend.shipping.providers.registry import ManualProvider
from tests.backend.checkout.paying_kit import Till, effective_settings_of
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.store_defaults import set_up_defaults


@pytest.fixture
async def till(database: Database, settings: Settings) -> Till:
    """A shop without toys that takes money."""
    bank = ScriptedBank()
    payments = PaymentService(database, {bank.id: bank, "pp_system_default": SystemDefault()})
    carriers: dict[str, FulfillmentProvider] = {"manual_manual": ManualProvider()}
    checkout = Checkout(settings, database, payments, carriers, effective_settings_of(database, settings))
    worker = Worker(database, [payments, ReservationExpiry(database, payments)])
    return Till(database, checkout, bank, worker, await set_up_defaults(database, settings))
