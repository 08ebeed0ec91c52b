"""Former handles are watched, and on PostgreSQL whoever empties a watched table is noted."""

from collections.abc import Sequence

from backend.migrations.triggers import unwatch, unwatch_emptying, watch, watch_emptying

revision: str = 'd3f80a6b92e7'
down_revision: str | None = 'd3a71f60c9b8'
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

WATCHED = (
    'category',
    'collection',
    'content_turn',
    'content_version',
    'former_handle',
    'inventory_level',
    'legal_text',
    'picture',
    'product',
    'product_category',
    'product_has_tag',
    'product_has_type',
    'product_option',
    'product_option_value',
    'product_tag',
    'product_type',
    'publishable_key',
    'region',
    'review',
    'sales_channel',
    'search_term',
    'stored_setting',
    'variant',
    'variant_option_value',
)


def upgrade() -> None:
    watch('former_handle', 'catalog', 'shared')
    for table in WATCHED:
        watch_emptying(table)


def downgrade() -> None:
    for table in WATCHED:
        unwatch_emptying(table)
    unwatch('former_handle')
