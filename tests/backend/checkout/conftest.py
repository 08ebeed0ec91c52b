"""A checkout whose bank follows the test's script, and the worker that runs its jobs."""

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
from tests.backend.checkout.paying_kit import Till, create_settings_reader
from tests.backend.checkout.scripted_bank import ScriptedBank
from tests.store_defaults import set_up_defaults


@pytest.fixture
async def till(database: Database, settings: Settings) -> Till:
    """Return a shop that can take payments, and has no products yet."""
    bank = ScriptedBank()
    payments = PaymentService(database, {bank.id: bank, "pp_system_default": SystemDefault()})
    carriers: dict[str, FulfillmentProvider] = {"manual_manual": ManualProvider()}
    checkout = Checkout(settings, database, payments, carriers, create_settings_reader(database, settings))
    worker = Worker(database, [payments, ReservationExpiry(database, payments)])
    return Till(database, checkout, bank, worker, await set_up_defaults(database, settings))
