"""Bodies and responses of attention in the Admin API."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.core.db.tables import JsonObject
from backend.edge.schemas import Body, ListParameters, Name, Text, example
from backend.edge.wire import Page, Stamps, iso, stamps


class AttentionParameters(ListParameters):
    """Filters of the list of attention rows."""

    kind: list[Name] | None = None
    status: str | None = Field(None, pattern="^(open|resolved)$", description="`open` or `resolved`.")
    order_id: Name | None = None


class FoundLabel(Body):
    """A label that staff found at the carrier, when the shop did not know whether the carrier had created it.

    At least one of the label's numbers is required.
    """

    carrier_order_id: Annotated[int, Field(gt=0, le=2**53)] | None = Field(
        None, description="The label's number at the carrier (`idOrder`)."
    )
    tracking_number: Name | None = None
    label_url: Name | None = None
    carrier: Name | None = Field(None, description="Name of the carrier, as displayed to the shopper.")
    unverified: bool = Field(
        default=False,
        description="Store the numbers even if the carrier does not know them or does not answer.",
    )


class NewResolution(Body):
    """A decision on an attention row. `AttentionOut.actions` lists the actions that are allowed for the row."""

    model_config = example(action="dismissed", note="Ya hablamos con la pasarela: no llegó dinero.")

    action: Action = Field(strict=False)
    reference: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        None, description="`refunded` needs it: the reference of the bank transfer."
    )
    note: Annotated[Text, Field(min_length=1)] | None = Field(None, description="`dismissed` needs it.")
    label: FoundLabel | None = Field(None, description="For `honor` of a label in doubt.")

    def label_found(self) -> JsonObject:
        """Return the fields of the shipping label that the request contains. Fields that were not sent are left out."""
        return self.label.model_dump(exclude_none=True) if self.label else {}


class AttentionOut(Stamps):
    """A decision that waits for a staff member, or that has been made."""

    id: str
    kind: str
    status: str
    subject_id: str
    title: Annotated[str, Field(description="What happened, in Spanish.")]
    message: Annotated[str, Field(description="What happened, exactly.")]
    amount: Annotated[int | None, Field(description="The disputed money, in whole pesos.")]
    due_at: Annotated[str | None, Field(description="Deadline for the decision.")]
    recommended_action: str
    advice: Annotated[str, Field(description="What to do, in Spanish.")]
    actions: Annotated[list[str], Field(description="The actions that are allowed.")]
    order_id: str | None
    payment_session_id: str | None
    fulfillment_id: str | None
    data: dict[str, Any]
    resolved_at: str | None
    resolved_by: Annotated[str | None, Field(description="The id of the staff member, or `command line`.")]
    resolution: str | None
    reference: str | None
    note: str | None


class AttentionAnswer(TypedDict):
    """Response with one attention row."""

    attention: AttentionOut


class AttentionsAnswer(Page):
    """A page of attention rows."""

    attention: list[AttentionOut]


def attention_wire(row: Attention) -> AttentionOut:
    """Return the attention row as JSON, with the title, the advice and the allowed actions of its kind."""
    rules = RULES[AttentionKind(row.kind)]
    return {
        "id": row.id,
        "kind": row.kind,
        "status": "open" if row.resolved_at is None else "resolved",
        "subject_id": row.subject_id,
        "title": rules.title,
        "message": row.message,
        "amount": row.amount,
        "due_at": iso(row.due_at),
        "recommended_action": rules.recommended,
        "advice": rules.advice,
        "actions": list(rules.actions),
        "order_id": row.order_id,
        "payment_session_id": row.payment_session_id,
        "fulfillment_id": row.fulfillment_id,
        "data": row.data,
        "resolved_at": iso(row.resolved_at),
        "resolved_by": row.resolved_by,
        "resolution": row.resolution,
        "reference": row.reference,
        "note": row.note,
        **stamps(row.created_at, row.updated_at),
    }
