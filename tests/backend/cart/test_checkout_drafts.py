"""Drafts of the checkout form, stored with the cart."""

import pytest

from backend.cart.checkout_drafts import read_draft, save_draft
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from tests.backend.cart.cart_kit import cart_with
from tests.store_defaults import Defaults


async def test_too_long_input_is_not_stored_in_a_draft(database: Database, defaults: Defaults) -> None:
    cart_id, _ = await cart_with(database, defaults)
    async with database.transaction() as session:
        await save_draft(session, cart_id, {"email": "a@b", "first_name": "Ana"})
        await save_draft(session, cart_id, {"email": "ana@example.com"})
        assert await read_draft(session, cart_id) == {"email": "ana@example.com", "first_name": "Ana"}
        with pytest.raises(InvalidData):
            await save_draft(session, cart_id, {"email": "x" * 10_000})
