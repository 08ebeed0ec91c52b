"""Tables of returns: requests, their lines, bank accounts for refunds, and files (pictures and receipts).

Personal data are in separate tables (`ReturnAccount`, `ReturnFile`, `ReturnDraft`), in `Return.reason` and in
`ReturnLine.note`. They are deleted with the customer's other personal data; the rest is retained for accounting.
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import Json, JsonObject, Timestamps
from backend.core.ids import new_id
from backend.core.money import Cop
from backend.core.texts import _


class ReturnKind(StrEnum):
    """Legal ground of a return."""

    WITHDRAWAL = "withdrawal"
    """Retracto (Ley 1480 of 2011, art. 47)."""
    WARRANTY = "warranty"
    """Garantía (arts. 7 to 17)."""
    REVERSAL = "reversal"
    """Reversión del pago (art. 51)."""
    NOT_SENT = "not_sent"
    """The units were cancelled before they were sent, or never sent (art. 50 h)."""
    EXCHANGE = "exchange"
    """The customer gets other products for the units (`backend.exchanges`): the shop agreed, no law requires it."""


KIND_NAMES = {
    ReturnKind.WITHDRAWAL: _("Retracto"),
    ReturnKind.WARRANTY: _("Garantía"),
    ReturnKind.REVERSAL: _("Reversión del pago"),
    ReturnKind.NOT_SENT: _("No entregado"),
    ReturnKind.EXCHANGE: _("Cambio"),
}
NEXT_STEPS = {
    ReturnKind.WITHDRAWAL: _(
        "Devuelve los productos como los recibiste. El dinero vuelve a más tardar el {due}."
    ),
    ReturnKind.WARRANTY: _("Te respondemos a más tardar el {due}."),
    ReturnKind.REVERSAL: _("Te devolvemos el dinero a más tardar el {due}."),
    ReturnKind.NOT_SENT: _("Te devolvemos el dinero a más tardar el {due}."),
    ReturnKind.EXCHANGE: _(
        "Devuelve los productos como los recibiste. Cuando lleguen, preparamos los que pediste a cambio."
    ),
}
"""Next step after a request of each kind, worded for the customer."""


class FilePurpose(StrEnum):
    """Purpose of a file that belongs to a return."""

    PICTURE = "picture"
    """A picture of the customer's complaint."""
    RECEIPT = "receipt"
    """A proof of the transfer."""


class Return(Timestamps, table=True):
    """A customer's request for money back. `state` is a `backend.returns.states.ReturnState`."""

    __tablename__ = "order_return"
    __table_args__ = (
        Index("ix_order_return_state", "state", "due_at", "number"),
        Index("ix_order_return_due", "due_at", "number"),
        CheckConstraint("amount IS NULL OR amount > 0", name="amount"),
    )

    number: int | None = Field(default=None, primary_key=True)
    """The number that customers and staff use."""
    id: str = Field(default_factory=lambda: new_id("return"), unique=True)
    order_id: str = Field(index=True)
    kind: str
    state: str
    reason: str = ""
    """Reason in the words of the customer or the staff member."""
    asked_by: str = ""
    """The id of the staff member who opened the return; empty if the customer requested it."""
    asked_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock, like all times of this table."""
    due_at: datetime = Field(sa_type=UtcDateTime)
    """The end of the final day for the next step: see `backend.returns.deadlines`."""
    received_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    approved_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """Time when it was paid or denied."""
    amount: Cop | None = None
    """Amount of the refund in whole pesos; None until staff have proposed it."""
    amount_reason: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Reason for a refund above the price of the units; empty if it is not above."""
    denial: str = ""
    """Reason of the denial."""
    refund_id: str | None = None
    exchange_id: str | None = Field(default=None, unique=True)
    """The exchange that the return belongs to; its new order replaces the refund. Only the kind `exchange` has one."""


class ReturnLine(SQLModel, table=True):
    """Units of an order's line in a return, and their condition on arrival."""

    __tablename__ = "order_return_line"
    __table_args__ = (
        CheckConstraint("quantity > 0", name="quantity"),
        CheckConstraint("good >= 0 AND damaged >= 0 AND good + damaged <= quantity", name="received"),
    )

    return_id: str = Field(foreign_key="order_return.id", primary_key=True, ondelete="CASCADE")
    line_id: str = Field(primary_key=True)
    quantity: int
    good: int = 0
    damaged: int = 0
    restocked: bool = False
    """True if the good units can be sold again."""
    reason_id: str | None = None
    """Id of the chosen reason (`ReturnReason`)."""
    note: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """A note about these units."""


class DraftStep(StrEnum):
    """The step of a return that a draft prepares."""

    REQUEST = "request"
    """A request: the return does not exist yet."""
    RECEIVE = "receive"
    """The arrival of a return's units."""


class ReturnDraft(Timestamps, table=True):
    """A drafted step of a return, which an API client writes and then confirms. An order has at most one draft.

    `items` holds objects with `id`, `action`, `line_id`, `quantity`, `reason_id` and `note`: see
    `backend.returns.drafts`.
    """

    __tablename__ = "order_return_draft"

    id: str = Field(default_factory=lambda: new_id("return"), primary_key=True)
    """The id of the future return, or of the existing return whose units arrive."""
    order_id: str = Field(unique=True)
    step: str
    kind: str
    reason: str = ""
    items: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    exchange_id: str | None = None
    """See `Return.exchange_id`."""
    created_by: str


class ReturnAccount(Timestamps, table=True):
    """The bank account for the refund of a return."""

    __tablename__ = "order_return_account"

    return_id: str = Field(foreign_key="order_return.id", primary_key=True, ondelete="CASCADE")
    bank: str
    account_type: str
    account_number: str
    holder: str
    document: str


class ReturnFile(Timestamps, table=True):
    """A picture that the customer uploaded, or the receipt of the refund's bank transfer. Only staff see it."""

    __tablename__ = "order_return_file"

    id: str = Field(default_factory=lambda: new_id("retfile"), primary_key=True)
    return_id: str = Field(foreign_key="order_return.id", index=True, ondelete="CASCADE")
    purpose: str
    media_type: str
    content: bytes
