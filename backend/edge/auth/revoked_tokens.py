"""Chains of bearer tokens that were revoked by signing out, stored until their tokens have expired."""

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, delete, exists, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime, db_now
from backend.core.db.tables import insert_into, table_of
from backend.edge.auth.bearer_tokens import CHAIN_LIFETIME, TOKEN_LIFETIME


class RevokedTokenChain(SQLModel, table=True):
    """A chain of refreshed bearer tokens whose owner has signed out."""

    __tablename__ = "revoked_token_chain"

    id: str = Field(primary_key=True)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)


_CHAIN = table_of(RevokedTokenChain)
REVOKED_RETENTION = max(CHAIN_LIFETIME.values()) + TOKEN_LIFETIME
"""Time for which a revoked chain is stored: longer than any of its tokens can be valid."""
_REVOKE = (
    insert_into(_CHAIN)
    .values(id=bindparam("chain"), expires_at=db_now(REVOKED_RETENTION))
    .on_conflict_do_nothing(index_elements=["id"])
)


def is_revoked() -> ColumnElement[bool]:
    """Return the SQL condition that a chain of tokens was revoked. The bound parameter `chain` is its id."""
    return exists().where(_CHAIN.c.id == bindparam("chain"))


async def is_chain_revoked(session: AsyncSession, chain: str) -> bool:
    """Return True if the owner of this chain has signed out."""
    return bool(await session.scalar(select(is_revoked()), {"chain": chain}))


async def revoke_chains(session: AsyncSession, chains: set[str]) -> None:
    """Revoke these chains of tokens. The empty chain (old tokens, sessions without a token) is skipped."""
    await session.execute(delete(_CHAIN).where(_CHAIN.c.expires_at < db_now()))
    for chain in sorted(chains - {""}):
        await session.execute(_REVOKE, {"chain": chain})
