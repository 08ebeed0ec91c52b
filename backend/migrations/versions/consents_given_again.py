"""Consents that were withdrawn can be given again for the same cart: a new row, beside the proof of the first."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = '6b1e93f4c7a2'
down_revision: str | None = 'd3f80a6b92e7'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COLUMNS = ['cart_id', 'kind', 'version', 'digest']
STANDS = sa.text('withdrawn_at IS NULL')


def upgrade() -> None:
    with op.batch_alter_table('consent') as batch:
        batch.drop_constraint(op.f('uq_consent_cart_id_kind_version_digest'), type_='unique')
    op.create_index('uq_consent_open', 'consent', COLUMNS, unique=True, sqlite_where=STANDS, postgresql_where=STANDS)
    op.create_index('ix_consent_cart_id', 'consent', ['cart_id'])


def downgrade() -> None:
    op.execute(
        'DELETE FROM consent WHERE withdrawn_at IS NOT NULL AND EXISTS (SELECT 1 FROM consent AS later'
        ' WHERE later.cart_id = consent.cart_id AND later.kind = consent.kind AND later.version = consent.version'
        ' AND later.digest = consent.digest AND (later.withdrawn_at IS NULL OR later.id > consent.id))'
    )
    op.drop_index('ix_consent_cart_id', table_name='consent')
    op.drop_index('uq_consent_open', table_name='consent')
    with op.batch_alter_table('consent') as batch:
        batch.create_unique_constraint(op.f('uq_consent_cart_id_kind_version_digest'), COLUMNS)
