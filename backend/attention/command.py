"""Command `trompo attention`: list the open attention rows, and resolve one of them."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from backend.attention.kinds import RULES, Action, AttentionKind
from backend.attention.models import Attention
from backend.attention.service import AttentionService, Decision
from backend.core.dates import time_label
from backend.core.db.database import Database
from backend.core.errors import InvalidData
from backend.core.money import format_number
from backend.staff.rights import COMMAND_LINE


async def list_open(database: Database) -> str:
    """Return the open attention rows as text, the most urgent first, with id, amount, deadline and allowed actions."""
    urgent_first = select(Attention).where(Attention.resolved_at.is_(None)).order_by(Attention.due_at)
    async with database.read() as session:
        rows = (await session.execute(urgent_first)).scalars().all()
    return "\n\n".join(map(_format_row, rows)) or "There is nothing to resolve."


async def resolve_one(service: AttentionService, attention_id: str, decision: Decision) -> str:
    """Resolve an attention row and return a sentence for the terminal.

    It raises the errors of `AttentionService.resolve`.
    """
    row = await service.resolve(attention_id, decision)
    return f"{row.id} is resolved: {row.resolution}."


def parse_decision(
    action: str | None, reference: str | None, note: str | None, label: Mapping[str, Any]
) -> Decision:
    """Convert the command-line options to a decision.

    Raises:
        InvalidData: the action is unknown.
    """
    if action not in tuple(Action):
        raise InvalidData(f"--action must be one of {', '.join(Action)}")
    numbers = {name: value for name, value in label.items() if value is not None}
    return Decision(Action(action), COMMAND_LINE, reference, note, numbers)


def _format_row(row: Attention) -> str:
    rules = RULES[AttentionKind(row.kind)]
    facts = [row.id, row.kind]
    if row.amount is not None:
        facts.append(f"$ {format_number(row.amount)}")
    if row.order_id is not None:
        facts.append(row.order_id)
    if row.due_at is not None:
        facts.append(f"until {time_label(row.due_at)}")
    actions = ", ".join(
        f"{action} (recommended)" if action is rules.recommended else action for action in rules.actions
    )
    return f"{'  '.join(facts)}\n  {row.message}\n  {rules.advice}\n  {actions}"
