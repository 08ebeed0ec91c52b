"""The tables of returns: what is asked for, of which lines, where the money goes to, and the files that prove it.

What says something about a person stands in tables of its own (`ReturnAccount`, `ReturnFile`, `ReturnDraft`), in
`Return.reason` and in `ReturnLine.note`: deleting personal data deletes those, and the books keep the rest.
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
    """By which right the money is asked for."""

    WITHDRAWAL = "withdrawal"
    """Retracto (Ley 1480 of 2011, art. 47)."""
    WARRANTY = "warranty"
    """Garantía (arts. 7 to 17)."""
    REVERSAL = "reversal"
    """Reversión del pago (art. 51)."""
    NOT_SENT = "not_sent"
    """It was cancelled before it was sent, or never was (art. 50 h)."""


KIND_NAMES = {
    ReturnKind.WITHDRAWAL: _("Retracto"),
    ReturnKind.WARRANTY: _("Garantía"),
    ReturnKind.REVERSAL: _("Reversión del pago"),
    ReturnKind.NOT_SENT: _("No despachado"),
}
NEXT_STEPS = {
    ReturnKind.WITHDRAWAL: _(
        "Devuelve los juguetes como los recibiste. El dinero vuelve a más tardar el {due}."
    ),
    ReturnKind.WARRANTY: _("Te respondemos a más tardar el {due}."),
    ReturnKind.REVERSAL: _("Te devolvemos el dinero a más tardar el {due}."),
    ReturnKind.NOT_SENT: _("Te devolvemos el dinero a más tardar el {due}."),
}
"""What happens next with one that was asked for."""


class FilePurpose(StrEnum):
    """What a file shows."""

    PICTURE = "picture"
    """What the buyer complains of."""
    RECEIPT = "receipt"
    """That the money was transferred."""


class Return(Timestamps, table=True):
    """Something that a buyer wants money for. `state` is a `backend.returns.states.ReturnState`."""

    __tablename__ = "order_return"
    __table_args__ = (
        Index("ix_order_return_state", "state", "due_at", "number"),
        Index("ix_order_return_due", "due_at", "number"),
        CheckConstraint("amount IS NULL OR amount > 0", name="amount"),
    )

    number: int | None = Field(default=None, primary_key=True)
    """What people call it by."""
    id: str = Field(default_factory=lambda: new_id("return"), unique=True)
    order_id: str = Field(index=True)
    kind: str
    state: str
    reason: str = ""
    """Why, in the words of whoever asked."""
    asked_by: str = ""
    """The id of the staff member who opened it; empty: the buyer did."""
    asked_at: datetime = Field(sa_type=UtcDateTime)
    """By the database's clock, as all of these."""
    due_at: datetime = Field(sa_type=UtcDateTime)
    """The end of the last day on which the next step may be taken: see `backend.returns.deadlines`."""
    received_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    approved_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    """When it was paid or denied."""
    amount: Cop | None = None
    """What goes back, in whole pesos; None until somebody has proposed it."""
    amount_reason: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Why more goes back than its units are worth; empty where it does not."""
    denial: str = ""
    """Why it was denied."""
    refund_id: str | None = None


class ReturnLine(SQLModel, table=True):
    """Units of an order's line that are in a return, and in which state they arrived."""

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
    """Whether the good ones can be sold again."""
    reason_id: str | None = None
    """Of the reasons that programs offer (`ReturnReason`), the one that was chosen."""
    note: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """What else was said of these units."""


class DraftStep(StrEnum):
    """What a program is writing."""

    REQUEST = "request"
    """What is to come back: there is no return yet."""
    RECEIVE = "receive"
    """What arrived of a return."""


class ReturnDraft(Timestamps, table=True):
    """What a program writes of a return step by step, until it confirms it. An order has one at a time.

    `items` holds objects with `id`, `action`, `line_id`, `quantity`, `reason_id` and `note`: see
    `backend.returns.drafts`.
    """

    __tablename__ = "order_return_draft"

    id: str = Field(default_factory=lambda: new_id("return"), primary_key=True)
    """The id of the return that it will be, or that arrives."""
    order_id: str = Field(unique=True)
    step: str
    kind: str
    reason: str = ""
    items: list[JsonObject] = Field(default_factory=list, sa_type=Json)
    created_by: str


class ReturnAccount(Timestamps, table=True):
    """The bank account that the money goes to."""

    __tablename__ = "order_return_account"

    return_id: str = Field(foreign_key="order_return.id", primary_key=True, ondelete="CASCADE")
    bank: str
    account_type: str
    account_number: str
    holder: str
    document: str


class ReturnFile(Timestamps, table=True):
    """A picture of the buyer's, or the receipt of the transfer. Only the shop's people see it."""

    __tablename__ = "order_return_file"

    id: str = Field(default_factory=lambda: new_id("retfile"), primary_key=True)
    return_id: str = Field(foreign_key="order_return.id", index=True, ondelete="CASCADE")
    purpose: str
    media_type: str
    content: bytes
