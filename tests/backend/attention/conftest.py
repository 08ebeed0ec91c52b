"""Rows of attention for tests."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.attention import AttentionKind, raise_attention
from backend.attention.models import Attention

Raise = Callable[..., Awaitable[str]]


@pytest.fixture
def raised(shop: Shop) -> Raise:
    """Return a function that creates an attention row and returns its id."""

    async def raise_one(kind: AttentionKind, subject_id: str = "payses_1", **facts: Any) -> str:
        async with shop.database.transaction() as session:
            await raise_attention(session, kind, subject_id=subject_id, message="Something happened", **facts)
            newest = select(Attention.id).order_by(Attention.id.desc()).limit(1)
            return str((await session.execute(newest)).scalar_one())

    return raise_one
