"""With which document and bank a customer pays, who asked for it to be kept."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime

revision: str = 'b3d70e6c41fa'
down_revision: str | None = '4b8e61d9f027'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    moment = UtcDateTime(timezone=True)
    op.create_table(
        'customer_payer',
        sa.Column('created_at', moment, nullable=False),
        sa.Column('updated_at', moment, nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('person_type', sa.String(), nullable=False),
        sa.Column('doc_type', sa.String(), nullable=False),
        sa.Column('doc_number', sa.String(), nullable=False),
        sa.Column('bank', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ['customer_id'], ['customer.id'], ondelete='CASCADE', name=op.f('fk_customer_payer_customer_id_customer')
        ),
        sa.PrimaryKeyConstraint('customer_id', name=op.f('pk_customer_payer')),
    )


def downgrade() -> None:
    op.drop_table('customer_payer')
