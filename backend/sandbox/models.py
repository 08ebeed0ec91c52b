"""What the embedded gateway and bank remember. Their tables are their own: the shop never reads them."""

from datetime import datetime

from sqlmodel import Field

from backend.database import UtcDateTime
from backend.tables import Json, JsonObject, Timestamps


class SandboxTransaction(Timestamps, table=True):
    """A PSE transaction at the embedded gateway, as it stands at the bank.

    `ref_payco` is the gateway's number; `invoice` the merchant's. `state` is the gateway's code (wire: gateway 1.8).
    """

    __tablename__ = "sandbox_transaction"
    __table_args__ = {"sqlite_autoincrement": True}

    ref_payco: int | None = Field(default=None, primary_key=True)
    invoice: str = Field(unique=True)
    transaction_id: str = Field(unique=True)
    ticket_id: str = Field(unique=True)
    bank_token: str = Field(unique=True)
    """What the bank's page is reached by; unguessable."""
    state: int = 3
    fields: JsonObject = Field(default_factory=dict, sa_type=Json)
    notify_state: int | None = None
    """The state still to be notified; None when the merchant's 200 was had."""
    notify_at: datetime | None = Field(default=None, sa_type=UtcDateTime, index=True)  # type: ignore[call-overload]
    notify_attempts: int = 0
