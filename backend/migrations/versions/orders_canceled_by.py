"""An order says which staff member cancelled it; the audit knows it of those that are cancelled already."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = 'c5e80b9f1d27'
down_revision: str | None = 'a7d25c1e84f6'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

FILL = """
UPDATE "order" SET canceled_by = (
    SELECT entry.actor_id FROM audit_entry AS entry
    WHERE entry.subject_type = 'order' AND entry.subject_id = "order".id AND entry.action = 'canceled'
    ORDER BY entry.created_at DESC, entry.id DESC LIMIT 1
)
WHERE status = 'canceled'
"""


def upgrade() -> None:
    op.add_column('order', sa.Column('canceled_by', sa.String(), nullable=True))
    op.execute(FILL)


def downgrade() -> None:
    op.drop_column('order', 'canceled_by')
