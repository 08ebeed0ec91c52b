"""The baseline: every table, with the triggers of the catalogue's version and of the audit.

Alembic wrote the tables from the models. Until release 1.0 it may be made again, under a new revision; then it is final.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

from backend.core.db.database import UtcDateTime
from backend.core.db.tables import ByteOrdered, Json
from backend.migrations.triggers import watch, watch_emptying, watch_products

revision: str = '28e8b8a67095'
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

WATCHED: Mapping[str, Sequence[str]] = {
    'category': ('catalog', 'lists'),
    'collection': ('catalog', 'shared'),
    'content_turn': ('catalog', 'shared'),
    'content_version': ('catalog', 'shared'),
    'former_handle': ('catalog', 'shared'),
    'inventory_level': ('stock',),
    'legal_text': ('catalog', 'shared'),
    'picture': ('catalog',),
    'product': ('catalog',),
    'product_category': ('catalog', 'lists'),
    'product_has_tag': ('catalog', 'lists'),
    'product_has_type': ('catalog', 'lists'),
    'product_option': ('catalog',),
    'product_option_value': ('catalog', 'shared'),
    'product_tag': ('catalog', 'shared'),
    'product_type': ('catalog', 'shared'),
    'publishable_key': ('catalog', 'shared'),
    'region': ('catalog', 'lists'),
    'review': ('catalog',),
    'sales_channel': ('catalog', 'lists'),
    'search_term': ('catalog', 'lists'),
    'stored_setting': ('catalog', 'shared'),
    'url_redirect': ('shared',),
    'variant': ('catalog',),
    'variant_option_value': ('catalog', 'shared'),
}
LISTED = ('status', 'deleted_at', 'handle', 'title', 'title_key', 'collection_id', 'age_range', 'created_at', 'brand')
# No level has less than nothing, so a variant with units in several places is not sold out while none of its levels is.
SOLD_OUT = {
    'INSERT': 'NEW.stocked + NEW.incoming > NEW.reserved',
    'UPDATE': '(OLD.stocked + OLD.incoming > OLD.reserved) <> (NEW.stocked + NEW.incoming > NEW.reserved) OR OLD.variant_id <> NEW.variant_id',
    'DELETE': 'OLD.stocked + OLD.incoming > OLD.reserved',
}
OF_PRODUCTS = (
    'picture',
    'product',
    'product_category',
    'product_has_tag',
    'product_has_type',
    'product_option',
    'review',
    'variant',
)
_REFUSE = """
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only';
END $$
"""


def upgrade() -> None:
    _create_tables()
    op.execute('INSERT INTO catalog_version (id, catalog, stock) VALUES (1, 0, 0)')
    for table, counters in WATCHED.items():
        watch(table, *counters)
        watch_emptying(table)
    watch('product', 'lists', columns=LISTED)
    watch('inventory_level', 'sold_out', when=SOLD_OUT)
    for table in OF_PRODUCTS:
        watch_products(table)
    if op.get_bind().dialect.name == 'postgresql':
        op.execute(_REFUSE)
    for event in ('UPDATE', 'DELETE', 'TRUNCATE'):
        _refuse('audit_entry', event)
    _refuse('audit_personal_value', 'UPDATE')


def _refuse(table: str, event: str) -> None:
    """Create a trigger that refuses an UPDATE, DELETE or TRUNCATE (`event`) of the table."""
    name = f'refuse_{table}_{event.lower()}'
    if op.get_bind().dialect.name == 'postgresql':
        each = 'STATEMENT' if event == 'TRUNCATE' else 'ROW'
        op.execute(
            f'CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH {each} EXECUTE FUNCTION refuse_audit_change()'
        )
    elif event != 'TRUNCATE':
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END"
        )


def _where(condition: str) -> dict[str, Any]:
    """Return the options of a partial index: it has only the rows that meet the condition."""
    return {'sqlite_where': sa.text(condition), 'postgresql_where': sa.text(condition)}


def _where_json(condition: str) -> dict[str, Any]:
    """Return the options of a partial index. `column->field` in its condition is a field of a JSON column."""
    return {
        'sqlite_where': sa.text(re.sub(r'(\w+)->(\w+)', r"json_extract(\1, '$.' || '\2')", condition)),
        'postgresql_where': sa.text(re.sub(r'(\w+)->(\w+)', r"(\1 ->> '\2')", condition)),
    }


def _create_tables() -> None:
    op.create_table(
        'alert',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('subject', sa.String(), nullable=False),
        sa.Column('message', sa.String(), nullable=False),
        sa.Column('began_at', UtcDateTime(), nullable=False),
        sa.Column('seen_at', UtcDateTime(), nullable=False),
        sa.Column('ended_at', UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_alert')),
    )
    op.create_index('uq_alert_lasting', 'alert', ['kind', 'subject'], unique=True, **_where('ended_at IS NULL'))
    op.create_table(
        'attention',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('subject_id', sa.String(), nullable=False),
        sa.Column('message', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=True),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.Column('payment_session_id', sa.String(), nullable=True),
        sa.Column('fulfillment_id', sa.String(), nullable=True),
        sa.Column('data', Json, nullable=False),
        sa.Column('due_at', UtcDateTime(), nullable=True),
        sa.Column('resolved_at', UtcDateTime(), nullable=True),
        sa.Column('resolved_by', sa.String(), nullable=True),
        sa.Column('resolution', sa.String(), nullable=True),
        sa.Column('reference', sa.String(), nullable=True),
        sa.Column('note', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_attention')),
    )
    op.create_index(op.f('ix_attention_due_at'), 'attention', ['due_at'])
    op.create_index(op.f('ix_attention_kind'), 'attention', ['kind'])
    op.create_index(op.f('ix_attention_order_id'), 'attention', ['order_id'])
    op.create_index(op.f('ix_attention_resolved_at'), 'attention', ['resolved_at'])
    op.create_index('uq_attention_open', 'attention', ['kind', 'subject_id'], unique=True, **_where('resolved_at IS NULL'))
    op.create_table(
        'audit_entry',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('action', sa.String(), nullable=False),
        sa.Column('subject_type', sa.String(), nullable=False),
        sa.Column('subject_id', sa.String(), nullable=False),
        sa.Column('changes', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_entry')),
    )
    op.create_index('ix_audit_entry_actor', 'audit_entry', ['actor_id', 'created_at', 'id'])
    op.create_index('ix_audit_entry_newest', 'audit_entry', ['created_at', 'id'])
    op.create_index('ix_audit_entry_subject', 'audit_entry', ['subject_id', 'created_at', 'id'])
    op.create_table(
        'backup',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('made_at', UtcDateTime(), nullable=False),
        sa.Column('size', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_backup')),
    )
    op.create_index(op.f('ix_backup_made_at'), 'backup', ['made_at'])
    op.create_table(
        'bank_list',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('source', sa.String(), nullable=False),
        sa.Column('banks', Json, nullable=False),
        sa.Column('fetched_at', UtcDateTime(), nullable=True),
        sa.Column('tried_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('provider_id', name=op.f('pk_bank_list')),
    )
    op.create_table(
        'bulk_change',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('value', Json, nullable=False),
        sa.Column('seen_at', UtcDateTime(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_bulk_change')),
    )
    op.create_index('ix_bulk_change_newest', 'bulk_change', ['created_at', 'id'])
    op.create_table(
        'campaign',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('campaign_identifier', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=True),
        sa.Column('starts_at', UtcDateTime(), nullable=True),
        sa.Column('ends_at', UtcDateTime(), nullable=True),
        sa.Column('budget_type', sa.String(), nullable=True),
        sa.Column('budget_limit', sa.Integer(), nullable=True),
        sa.Column('budget_attribute', sa.String(), nullable=True),
        sa.Column('deleted_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('budget_limit IS NULL OR budget_limit > 0', name=op.f('ck_campaign_budget_limit')),
        sa.CheckConstraint('ends_at IS NULL OR starts_at IS NULL OR starts_at < ends_at', name=op.f('ck_campaign_ends_at')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_campaign')),
    )
    op.create_index('uq_campaign_identifier', 'campaign', ['campaign_identifier'], unique=True, **_where('deleted_at IS NULL'))
    op.create_table(
        'cart_news',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('detail', Json, nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_cart_news')),
    )
    op.create_index(op.f('ix_cart_news_cart_id'), 'cart_news', ['cart_id'])
    op.create_index(op.f('ix_cart_news_created_at'), 'cart_news', ['created_at'])
    op.create_table(
        'catalog_version',
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('catalog', sa.BigInteger(), nullable=False),
        sa.Column('stock', sa.BigInteger(), nullable=False),
        sa.Column('lists', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('sold_out', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('shared', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('product_changes', sa.BigInteger(), server_default='0', nullable=False),
        sa.Column('product_changes_by', sa.BigInteger(), server_default='0', nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_catalog_version')),
    )
    op.create_table(
        'category',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('handle', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=False),
        sa.Column('parent_id', sa.String(), nullable=True),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('is_active', sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column('picture', sa.String(), server_default='', nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.ForeignKeyConstraint(['parent_id'], ['category.id'], name=op.f('fk_category_parent_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_category')),
        sa.UniqueConstraint('handle', name=op.f('uq_category_handle')),
    )
    op.create_index(op.f('ix_category_parent_id'), 'category', ['parent_id'])
    op.create_table(
        'collection',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('handle', sa.String(), nullable=False),
        sa.Column('description', sa.String(), server_default='', nullable=False),
        sa.Column('rank', sa.Integer(), server_default='0', nullable=False),
        sa.Column('is_active', sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column('picture', sa.String(), server_default='', nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_collection')),
        sa.UniqueConstraint('handle', name=op.f('uq_collection_handle')),
    )
    op.create_table(
        'column_mapping',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('columns', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_column_mapping')),
    )
    op.create_table(
        'compatible_release',
        sa.Column('revision', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('revision', name=op.f('pk_compatible_release')),
    )
    op.create_table(
        'consent',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.String(), nullable=False),
        sa.Column('digest', sa.String(), nullable=False),
        sa.Column('source', sa.String(), nullable=False),
        sa.Column('given_at', UtcDateTime(), nullable=False),
        sa.Column('client_ip', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=True),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('withdrawn_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('cart_id IS NOT NULL OR customer_id IS NOT NULL', name=op.f('ck_consent_whose')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_consent')),
    )
    op.create_index(op.f('ix_consent_cart_id'), 'consent', ['cart_id'])
    op.create_index(op.f('ix_consent_customer_id'), 'consent', ['customer_id'])
    op.create_index('uq_consent_open', 'consent', ['cart_id', 'kind', 'version', 'digest'], unique=True, **_where('withdrawn_at IS NULL'))
    op.create_table(
        'content_turn',
        sa.Column('area', sa.String(), nullable=False),
        sa.Column('turned_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('area', name=op.f('pk_content_turn')),
    )
    op.create_table(
        'content_version',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('area', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('body', Json, nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.CheckConstraint('version > 0', name=op.f('ck_content_version_version')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_content_version')),
        sa.UniqueConstraint('area', 'version', name=op.f('uq_content_version_area_version')),
    )
    op.create_table(
        'customer',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('first_name', sa.String(), nullable=False),
        sa.Column('last_name', sa.String(), nullable=False),
        sa.Column('phone', sa.String(), nullable=False),
        sa.Column('company_name', sa.String(), nullable=False),
        sa.Column('token_epoch', sa.Integer(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer')),
        sa.UniqueConstraint('email', name=op.f('uq_customer_email')),
    )
    op.create_index('ix_customer_newest', 'customer', ['created_at', 'id'])
    op.create_table(
        'customer_group',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer_group')),
        sa.UniqueConstraint('name', name=op.f('uq_customer_group_name')),
    )
    op.create_table(
        'customer_note',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer_note')),
    )
    op.create_index(op.f('ix_customer_note_customer_id'), 'customer_note', ['customer_id'])
    op.create_table(
        'customer_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('term', 'customer_id', name=op.f('pk_customer_term')),
    )
    op.create_index(op.f('ix_customer_term_customer_id'), 'customer_term', ['customer_id'])
    op.create_table(
        'data_export',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('file_format', sa.String(), nullable=False),
        sa.Column('since', sa.String(), nullable=False),
        sa.Column('until', sa.String(), nullable=False),
        sa.Column('query', sa.String(), server_default='', nullable=False),
        sa.Column('columns', Json, server_default=sa.text("'[]'"), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('done', sa.Integer(), nullable=False),
        sa.Column('place', sa.String(), nullable=False),
        sa.Column('pieces', sa.Integer(), nullable=False),
        sa.Column('is_done', sa.Boolean(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_data_export')),
    )
    op.create_index(op.f('ix_data_export_expires_at'), 'data_export', ['expires_at'])
    op.create_index('ix_data_export_newest', 'data_export', ['actor_id', 'created_at'])
    op.create_table(
        'fulfillment_provider',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('is_enabled', sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_fulfillment_provider')),
    )
    op.create_table(
        'guest_customer',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('first_name', sa.String(), server_default='', nullable=False),
        sa.Column('last_name', sa.String(), server_default='', nullable=False),
        sa.Column('phone', sa.String(), server_default='', nullable=False),
        sa.Column('company_name', sa.String(), server_default='', nullable=False),
        sa.Column('meta', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_guest_customer')),
        sa.UniqueConstraint('email', name=op.f('uq_guest_customer_email')),
    )
    op.create_index('ix_guest_customer_newest', 'guest_customer', ['created_at', 'id'])
    op.create_table(
        'invoice',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('refund_id', sa.String(), nullable=True),
        sa.Column('corrects_id', sa.String(), nullable=True),
        sa.Column('annulled_at', UtcDateTime(), nullable=True),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('prefix', sa.String(), nullable=True),
        sa.Column('number', sa.Integer(), nullable=True),
        sa.Column('document', Json, nullable=False),
        sa.Column('asked_at', UtcDateTime(), nullable=True),
        sa.Column('issued_at', UtcDateTime(), nullable=True),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('xml', sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_invoice')),
        sa.UniqueConstraint('prefix', 'number', name=op.f('uq_invoice_prefix_number')),
        sa.UniqueConstraint('refund_id', name=op.f('uq_invoice_refund_id')),
    )
    op.create_index('ix_invoice_issued', 'invoice', ['issued_at', 'id'])
    op.create_index('ix_invoice_newest', 'invoice', ['created_at', 'id'])
    op.create_index('ix_invoice_order_id', 'invoice', ['order_id'])
    op.create_index('ix_invoice_state', 'invoice', ['state', 'created_at', 'id'])
    op.create_index('uq_invoice_of_order', 'invoice', ['order_id'], unique=True, **_where("kind = 'invoice' AND annulled_at IS NULL"))
    op.create_table(
        'invoice_sequence',
        sa.Column('prefix', sa.String(), nullable=False),
        sa.Column('last', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('prefix', name=op.f('pk_invoice_sequence')),
    )
    op.create_table(
        'job',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('key', sa.String(), nullable=True),
        sa.Column('payload', Json, nullable=False),
        sa.Column('run_at', UtcDateTime(), nullable=False),
        sa.Column('claim', sa.String(), nullable=True),
        sa.Column('again_at', UtcDateTime(), nullable=True),
        sa.Column('delay_s', sa.Float(), nullable=True),
        sa.Column('again_delay_s', sa.Float(), nullable=True),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('failures', sa.Integer(), nullable=False),
        sa.Column('failing_since', UtcDateTime(), nullable=True),
        sa.Column('failed_at', UtcDateTime(), nullable=True),
        sa.Column('error', sa.String(), nullable=True),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_job')),
        sa.UniqueConstraint('kind', 'key', name=op.f('uq_job_kind_key')),
        sqlite_autoincrement=True,
    )
    op.create_index('ix_job_failed_at_run_at', 'job', ['failed_at', 'run_at'])
    op.create_table(
        'kept_text',
        sa.Column('digest', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('kept_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('digest', name=op.f('pk_kept_text')),
    )
    op.create_table(
        'legal_text',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('version', sa.Integer(), nullable=False),
        sa.Column('source', sa.String(), nullable=False),
        sa.Column('is_reviewed', sa.Boolean(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.CheckConstraint('version > 1', name=op.f('ck_legal_text_version')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_legal_text')),
        sa.UniqueConstraint('kind', 'version', name=op.f('uq_legal_text_kind_version')),
    )
    op.create_table(
        'mail',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('about', sa.String(), nullable=False),
        sa.Column('sent_at', UtcDateTime(), nullable=True),
        sa.Column('address_key', sa.String(), nullable=True),
        sa.Column('joined_to', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_mail')),
        sa.UniqueConstraint('kind', 'about', name=op.f('uq_mail_kind_about')),
    )
    op.create_index(op.f('ix_mail_address_key'), 'mail', ['address_key'])
    op.create_index(op.f('ix_mail_joined_to'), 'mail', ['joined_to'])
    op.create_table(
        'mail_slot',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('address_key', sa.String(), nullable=False),
        sa.Column('mail_id', sa.String(), nullable=False),
        sa.Column('asked_at', UtcDateTime(), nullable=False),
        sa.Column('taken_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_mail_slot')),
    )
    op.create_index('ix_mail_slot_address_key', 'mail_slot', ['address_key', 'taken_at'])
    op.create_index(op.f('ix_mail_slot_taken_at'), 'mail_slot', ['taken_at'])
    op.create_table(
        'order_invoiced_elsewhere',
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('marked_at', UtcDateTime(), nullable=False),
        sa.Column('marked_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('order_id', name=op.f('pk_order_invoiced_elsewhere')),
    )
    op.create_table(
        'order_return',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('asked_by', sa.String(), nullable=False),
        sa.Column('asked_at', UtcDateTime(), nullable=False),
        sa.Column('due_at', UtcDateTime(), nullable=False),
        sa.Column('received_at', UtcDateTime(), nullable=True),
        sa.Column('approved_at', UtcDateTime(), nullable=True),
        sa.Column('ended_at', UtcDateTime(), nullable=True),
        sa.Column('amount', sa.Integer(), nullable=True),
        sa.Column('amount_reason', sa.String(), server_default='', nullable=False),
        sa.Column('denial', sa.String(), nullable=False),
        sa.Column('refund_id', sa.String(), nullable=True),
        sa.Column('exchange_id', sa.String(), nullable=True),
        sa.CheckConstraint('amount IS NULL OR amount > 0', name=op.f('ck_order_return_amount')),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_order_return')),
        sa.UniqueConstraint('exchange_id', name=op.f('uq_order_return_exchange_id')),
        sa.UniqueConstraint('id', name=op.f('uq_order_return_id')),
    )
    op.create_index('ix_order_return_due', 'order_return', ['due_at', 'number'])
    op.create_index(op.f('ix_order_return_order_id'), 'order_return', ['order_id'])
    op.create_index('ix_order_return_state', 'order_return', ['state', 'due_at', 'number'])
    op.create_table(
        'order_return_draft',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('step', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('items', Json, nullable=False),
        sa.Column('exchange_id', sa.String(), nullable=True),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_return_draft')),
        sa.UniqueConstraint('order_id', name=op.f('uq_order_return_draft_order_id')),
    )
    op.create_table(
        'outbox_event',
        sa.Column('id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('recorded_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_outbox_event')),
        sqlite_autoincrement=True,
    )
    op.create_table(
        'payment_notification',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('dedupe_key', sa.String(), nullable=False),
        sa.Column('verdict', sa.String(), nullable=False),
        sa.Column('reference', sa.String(), nullable=True),
        sa.Column('invoice', sa.String(), nullable=True),
        sa.Column('session_id', sa.String(), nullable=True),
        sa.Column('is_final', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column('said_state', sa.String(), nullable=True),
        sa.Column('fields', Json, nullable=False),
        sa.Column('times_received', sa.Integer(), nullable=False),
        sa.Column('handled_at', UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_notification')),
        sa.UniqueConstraint('provider_id', 'dedupe_key', name=op.f('uq_payment_notification_provider_id_dedupe_key')),
    )
    op.create_index(op.f('ix_payment_notification_invoice'), 'payment_notification', ['invoice'])
    op.create_index(op.f('ix_payment_notification_reference'), 'payment_notification', ['reference'])
    op.create_table(
        'pqrs',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('order_number', sa.String(), nullable=False),
        sa.Column('asked_at', UtcDateTime(), nullable=False),
        sa.Column('due_at', UtcDateTime(), nullable=False),
        sa.Column('answer', sa.String(), nullable=False),
        sa.Column('answered_at', UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_pqrs')),
        sa.UniqueConstraint('id', name=op.f('uq_pqrs_id')),
    )
    op.create_index('ix_pqrs_open', 'pqrs', ['due_at'], **_where('answered_at IS NULL'))
    op.create_table(
        'press',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('subject', sa.String(), nullable=False),
        sa.Column('sending', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_press')),
    )
    op.create_index(op.f('ix_press_created_at'), 'press', ['created_at'])
    op.create_table(
        'price_list',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('description', sa.String(), server_default='', nullable=False),
        sa.Column('rule', Json, nullable=False),
        sa.Column('starts_at', UtcDateTime(), nullable=False),
        sa.Column('ends_at', UtcDateTime(), nullable=True),
        sa.Column('ended_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('ends_at IS NULL OR starts_at < ends_at', name=op.f('ck_price_list_ends_at')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_price_list')),
    )
    op.create_index('ix_price_list_newest', 'price_list', ['created_at', 'id'])
    op.create_table(
        'product_change',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('number', sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint('product_id', name=op.f('pk_product_change')),
    )
    op.create_index(op.f('ix_product_change_number'), 'product_change', ['number'])
    op.create_table(
        'product_import',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('makes_places', sa.Boolean(), nullable=False),
        sa.Column('columns', Json, nullable=False),
        sa.Column('ignored', Json, nullable=False),
        sa.Column('format', sa.String(), nullable=False),
        sa.Column('sheet', sa.String(), nullable=False),
        sa.Column('headings', Json, nullable=False),
        sa.Column('set_aside', Json, nullable=False),
        sa.Column('notes', Json, nullable=False),
        sa.Column('mapping', Json, nullable=False),
        sa.Column('publishes', sa.Boolean(), nullable=False),
        sa.Column('losses', Json, nullable=False),
        sa.Column('code_changes', Json, nullable=False),
        sa.Column('pictures', Json, nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_import')),
    )
    op.create_index('ix_product_import_newest', 'product_import', ['created_at', 'id'])
    op.create_table(
        'product_tag',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_tag')),
        sa.UniqueConstraint('value', name=op.f('uq_product_tag_value')),
    )
    op.create_table(
        'product_type',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_type')),
        sa.UniqueConstraint('value', name=op.f('uq_product_type_value')),
    )
    op.create_table(
        'rate_limit_counter',
        sa.Column('key', sa.String(), nullable=False),
        sa.Column('hits', sa.Integer(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('key', name=op.f('pk_rate_limit_counter')),
    )
    op.create_index(op.f('ix_rate_limit_counter_expires_at'), 'rate_limit_counter', ['expires_at'])
    op.create_table(
        'refund_reason',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('label', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_refund_reason')),
        sa.UniqueConstraint('code', name=op.f('uq_refund_reason_code')),
    )
    op.create_table(
        'region',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('currency_code', sa.String(), nullable=False),
        sa.Column('country_code', sa.String(), nullable=False),
        sa.Column('payment_providers', Json, server_default=sa.text('\'["gateway_pse"]\''), nullable=False),
        sa.Column('meta', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_region')),
    )
    op.create_table(
        'return_reason',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.Column('label', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_return_reason')),
        sa.UniqueConstraint('value', name=op.f('uq_return_reason_value')),
    )
    op.create_table(
        'revoked_token_chain',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_revoked_token_chain')),
    )
    op.create_index(op.f('ix_revoked_token_chain_expires_at'), 'revoked_token_chain', ['expires_at'])
    op.create_table(
        'sales_channel',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=True),
        sa.Column('meta', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_sales_channel')),
    )
    op.create_table(
        'sandbox_invoice',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('number', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('xml', sa.LargeBinary(), nullable=False),
        sa.Column('issued_at', UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_sandbox_invoice')),
    )
    op.create_table(
        'sandbox_label',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('order_id', sa.BigInteger(), nullable=False),
        sa.Column('tracker', sa.String(), nullable=False),
        sa.Column('reference', sa.String(), nullable=False),
        sa.Column('carrier', sa.String(), nullable=False),
        sa.Column('is_test', sa.Boolean(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('times', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_sandbox_label')),
        sa.UniqueConstraint('order_id', name=op.f('uq_sandbox_label_order_id')),
        sa.UniqueConstraint('tracker', name=op.f('uq_sandbox_label_tracker')),
        sqlite_autoincrement=True,
    )
    op.create_table(
        'sandbox_transaction',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('ref_payco', sa.Integer(), nullable=False),
        sa.Column('invoice', sa.String(), nullable=False),
        sa.Column('transaction_id', sa.String(), nullable=False),
        sa.Column('ticket_id', sa.String(), nullable=False),
        sa.Column('bank_token', sa.String(), nullable=False),
        sa.Column('browser_reference', sa.String(), nullable=False),
        sa.Column('state', sa.Integer(), nullable=False),
        sa.Column('decided_at', UtcDateTime(), nullable=True),
        sa.Column('fields', Json, nullable=False),
        sa.PrimaryKeyConstraint('ref_payco', name=op.f('pk_sandbox_transaction')),
        sa.UniqueConstraint('bank_token', name=op.f('uq_sandbox_transaction_bank_token')),
        sa.UniqueConstraint('browser_reference', name=op.f('uq_sandbox_transaction_browser_reference')),
        sa.UniqueConstraint('invoice', name=op.f('uq_sandbox_transaction_invoice')),
        sa.UniqueConstraint('ticket_id', name=op.f('uq_sandbox_transaction_ticket_id')),
        sa.UniqueConstraint('transaction_id', name=op.f('uq_sandbox_transaction_transaction_id')),
        sqlite_autoincrement=True,
    )
    op.create_table(
        'search_typo',
        sa.Column('remains', ByteOrdered, nullable=False),
        sa.Column('term', ByteOrdered, nullable=False),
        sa.PrimaryKeyConstraint('remains', 'term', name=op.f('pk_search_typo')),
    )
    op.create_table(
        'shipping_profile',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('type', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_shipping_profile')),
    )
    op.create_table(
        'staff',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('password_hash', sa.String(), nullable=False),
        sa.Column('role', sa.String(), nullable=False),
        sa.Column('disabled_at', UtcDateTime(), nullable=True),
        sa.Column('token_epoch', sa.Integer(), server_default='0', nullable=False),
        sa.Column('totp_secret', sa.String(), nullable=True),
        sa.Column('totp_pending', sa.String(), nullable=True),
        sa.Column('totp_last_step', sa.Integer(), nullable=True),
        sa.Column('totp_failures', sa.Integer(), server_default='0', nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff')),
        sa.UniqueConstraint('email', name=op.f('uq_staff_email')),
    )
    op.create_table(
        'staff_role',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('name_key', sa.String(), nullable=False),
        sa.Column('rights', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_role')),
        sa.UniqueConstraint('name_key', name=op.f('uq_staff_role_name_key')),
    )
    op.create_table(
        'staff_invite',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('role', sa.String(), nullable=False),
        sa.Column('invited_by', sa.String(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=True),
        sa.Column('expires_at', UtcDateTime(), nullable=True),
        sa.Column('sent_at', UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_invite')),
        sa.UniqueConstraint('email', name=op.f('uq_staff_invite_email')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_invite_token_hash')),
    )
    op.create_table(
        'staff_notice',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('subject_id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('batch_id', sa.String(), nullable=True),
        sa.Column('batched_at', UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_notice')),
        sa.UniqueConstraint('kind', 'subject_id', name=op.f('uq_staff_notice_kind_subject_id')),
    )
    op.create_index(op.f('ix_staff_notice_batch_id'), 'staff_notice', ['batch_id'])
    op.create_index(op.f('ix_staff_notice_created_at'), 'staff_notice', ['created_at'])
    op.create_index('ix_staff_notice_kind_batched_at', 'staff_notice', ['kind', 'batched_at'])
    op.create_table(
        'stock_location',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('address', Json, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_stock_location')),
    )
    op.create_table(
        'stock_movement',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('delta', sa.Integer(), nullable=False),
        sa.Column('stocked', sa.Integer(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('actor_id', sa.String(), nullable=False),
        sa.Column('note', sa.String(), nullable=False),
        sa.Column('supplier', sa.String(), nullable=False),
        sa.Column('document', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_stock_movement')),
    )
    op.create_index('ix_stock_movement_newest', 'stock_movement', ['created_at', 'id'])
    op.create_index('ix_stock_movement_order_id', 'stock_movement', ['order_id'])
    op.create_index('ix_stock_movement_variant', 'stock_movement', ['variant_id', 'created_at', 'id'])
    op.create_table(
        'stored_setting',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('name', name=op.f('pk_stored_setting')),
    )
    op.create_table(
        'webhook_delivery',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('endpoint_id', sa.String(), nullable=False),
        sa.Column('event_id', sa.String(), nullable=False),
        sa.Column('event', sa.String(), nullable=False),
        sa.Column('data', Json, nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('next_try_at', UtcDateTime(), nullable=True),
        sa.Column('tried_at', UtcDateTime(), nullable=True),
        sa.Column('status', sa.Integer(), nullable=True),
        sa.Column('answer', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_delivery')),
    )
    op.create_index(op.f('ix_webhook_delivery_created_at'), 'webhook_delivery', ['created_at'])
    op.create_index('ix_webhook_delivery_endpoint_id_created_at', 'webhook_delivery', ['endpoint_id', 'created_at', 'id'])
    op.create_index('ix_webhook_delivery_endpoint_id_next_try_at', 'webhook_delivery', ['endpoint_id', 'next_try_at'])
    op.create_table(
        'webhook_endpoint',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('callback_url', sa.String(), nullable=False),
        sa.Column('events', Json, nullable=False),
        sa.Column('is_active', sa.Boolean(), nullable=False),
        sa.Column('secret', sa.String(), nullable=False),
        sa.Column('former_secret', sa.String(), nullable=True),
        sa.Column('former_secret_until', UtcDateTime(), nullable=True),
        sa.Column('failures', sa.Integer(), nullable=False),
        sa.Column('failing_since', UtcDateTime(), nullable=True),
        sa.Column('paused_until', UtcDateTime(), nullable=True),
        sa.Column('is_given_up', sa.Boolean(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_webhook_endpoint')),
    )
    op.create_table(
        'audit_personal_value',
        sa.Column('entry_id', sa.String(), nullable=False),
        sa.Column('place', sa.Integer(), nullable=False),
        sa.Column('before', Json, nullable=True),
        sa.Column('after', Json, nullable=True),
        sa.ForeignKeyConstraint(['entry_id'], ['audit_entry.id'], name=op.f('fk_audit_personal_value_entry_id')),
        sa.PrimaryKeyConstraint('entry_id', 'place', name=op.f('pk_audit_personal_value')),
    )
    op.create_table(
        'bulk_change_row',
        sa.Column('bulk_change_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('problem', sa.String(), nullable=False),
        sa.Column('values', Json, nullable=False),
        sa.ForeignKeyConstraint(['bulk_change_id'], ['bulk_change.id'], name=op.f('fk_bulk_change_row_bulk_change_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('bulk_change_id', 'product_id', name=op.f('pk_bulk_change_row')),
    )
    op.create_index('ix_bulk_change_row_state', 'bulk_change_row', ['bulk_change_id', 'state', 'product_id'])
    op.create_table(
        'cart',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('region_id', sa.String(), nullable=False),
        sa.Column('sales_channel_id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('guest_id', sa.String(), nullable=True),
        sa.Column('email', sa.String(), nullable=True),
        sa.Column('locale', sa.String(), nullable=True),
        sa.Column('shipping_address', Json, nullable=True),
        sa.Column('billing_address', Json, nullable=True),
        sa.Column('draft', Json, nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('origin', sa.String(), server_default='web', nullable=False),
        sa.Column('staff_discount', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('staff_discount_terms', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column('payable_until', UtcDateTime(), nullable=True),
        sa.Column('payment_session_id', sa.String(), nullable=True),
        sa.Column('replaces_cart_id', sa.String(), nullable=True),
        sa.Column('completed_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['region_id'], ['region.id'], name=op.f('fk_cart_region_id')),
        sa.ForeignKeyConstraint(['sales_channel_id'], ['sales_channel.id'], name=op.f('fk_cart_sales_channel_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_cart')),
        sa.UniqueConstraint('order_id', name=op.f('uq_cart_order_id')),
    )
    op.create_index('ix_cart_created_at', 'cart', ['created_at'])
    op.create_index('ix_cart_document', 'cart', ['updated_at', 'id'], **_where_json('draft->doc_type IS NOT NULL OR draft->doc_number IS NOT NULL'))
    op.create_index('ix_cart_open', 'cart', ['updated_at', 'id'], **_where('completed_at IS NULL'))
    op.create_index(op.f('ix_cart_customer_id'), 'cart', ['customer_id'])
    op.create_index(op.f('ix_cart_guest_id'), 'cart', ['guest_id'])
    op.create_index(op.f('ix_cart_replaces_cart_id'), 'cart', ['replaces_cart_id'])
    op.create_table(
        'customer_address',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('address', Json, nullable=False),
        sa.Column('address_name', sa.String(), nullable=True),
        sa.Column('is_default_shipping', sa.Boolean(), nullable=False),
        sa.Column('is_default_billing', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_customer_address_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_customer_address')),
    )
    op.create_index(op.f('ix_customer_address_customer_id'), 'customer_address', ['customer_id'])
    op.create_table(
        'customer_group_member',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('group_id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['group_id'], ['customer_group.id'], name=op.f('fk_customer_group_member_group_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('group_id', 'customer_id', name=op.f('pk_customer_group_member')),
    )
    op.create_index(op.f('ix_customer_group_member_customer_id'), 'customer_group_member', ['customer_id'])
    op.create_table(
        'customer_payer',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('person_type', sa.String(), nullable=False),
        sa.Column('doc_type', sa.String(), nullable=False),
        sa.Column('doc_number', sa.String(), nullable=False),
        sa.Column('bank', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_customer_payer_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('customer_id', name=op.f('pk_customer_payer')),
    )
    op.create_table(
        'customer_session',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.Column('token_chain', sa.String(), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_customer_session_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('token_hash', name=op.f('pk_customer_session')),
    )
    op.create_index(op.f('ix_customer_session_customer_id'), 'customer_session', ['customer_id'])
    op.create_table(
        'data_export_piece',
        sa.Column('export_id', sa.String(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['export_id'], ['data_export.id'], name=op.f('fk_data_export_piece_export_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('export_id', 'number', name=op.f('pk_data_export_piece')),
    )
    op.create_table(
        'fulfillment',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('reference', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('items', Json, nullable=False),
        sa.Column('carrier_order_id', sa.BigInteger(), nullable=True),
        sa.Column('tracking_number', sa.String(), nullable=True),
        sa.Column('label_url', sa.String(), nullable=True),
        sa.Column('label_pdf', sa.LargeBinary(), nullable=True),
        sa.Column('data', Json, nullable=False),
        sa.Column('stage', sa.String(), nullable=True),
        sa.Column('tracked_at', UtcDateTime(), nullable=True),
        sa.Column('shipped_at', UtcDateTime(), nullable=True),
        sa.Column('delivered_at', UtcDateTime(), nullable=True),
        sa.Column('canceled_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['location_id'], ['stock_location.id'], name=op.f('fk_fulfillment_location_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_fulfillment')),
        sa.UniqueConstraint('order_id', 'reference', name=op.f('uq_fulfillment_order_id_reference')),
    )
    op.create_index(op.f('ix_fulfillment_carrier_order_id'), 'fulfillment', ['carrier_order_id'])
    op.create_index(op.f('ix_fulfillment_order_id'), 'fulfillment', ['order_id'])
    op.create_index(op.f('ix_fulfillment_tracking_number'), 'fulfillment', ['tracking_number'])
    op.create_table(
        'fulfillment_set',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('type', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['location_id'], ['stock_location.id'], name=op.f('fk_fulfillment_set_location_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_fulfillment_set')),
    )
    op.create_table(
        'location_fulfillment_provider',
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['location_id'], ['stock_location.id'], name=op.f('fk_location_fulfillment_provider_location_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('location_id', 'provider_id', name=op.f('pk_location_fulfillment_provider')),
    )
    op.create_table(
        'location_sales_channel',
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('sales_channel_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['location_id'], ['stock_location.id'], name=op.f('fk_location_sales_channel_location_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['sales_channel_id'], ['sales_channel.id'], name=op.f('fk_location_sales_channel_sales_channel_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('location_id', 'sales_channel_id', name=op.f('pk_location_sales_channel')),
    )
    op.create_table(
        'login',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('provider', sa.String(), nullable=False),
        sa.Column('subject', sa.String(), nullable=False),
        sa.Column('password_hash', sa.String(), nullable=True),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_login_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_login')),
        sa.UniqueConstraint('provider', 'subject', name=op.f('uq_login_provider_subject')),
    )
    op.create_index(op.f('ix_login_customer_id'), 'login', ['customer_id'])
    op.create_table(
        'order_return_account',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('bank', sa.String(), nullable=False),
        sa.Column('account_type', sa.String(), nullable=False),
        sa.Column('account_number', sa.String(), nullable=False),
        sa.Column('holder', sa.String(), nullable=False),
        sa.Column('document', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['return_id'], ['order_return.id'], name=op.f('fk_order_return_account_return_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('return_id', name=op.f('pk_order_return_account')),
    )
    op.create_table(
        'order_return_file',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('purpose', sa.String(), nullable=False),
        sa.Column('media_type', sa.String(), nullable=False),
        sa.Column('content', sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(['return_id'], ['order_return.id'], name=op.f('fk_order_return_file_return_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_return_file')),
    )
    op.create_index(op.f('ix_order_return_file_return_id'), 'order_return_file', ['return_id'])
    op.create_table(
        'order_return_line',
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('line_id', sa.String(), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('good', sa.Integer(), nullable=False),
        sa.Column('damaged', sa.Integer(), nullable=False),
        sa.Column('restocked', sa.Boolean(), nullable=False),
        sa.Column('reason_id', sa.String(), nullable=True),
        sa.Column('note', sa.String(), server_default='', nullable=False),
        sa.CheckConstraint('good >= 0 AND damaged >= 0 AND good + damaged <= quantity', name=op.f('ck_order_return_line_received')),
        sa.CheckConstraint('quantity > 0', name=op.f('ck_order_return_line_quantity')),
        sa.ForeignKeyConstraint(['return_id'], ['order_return.id'], name=op.f('fk_order_return_line_return_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('return_id', 'line_id', name=op.f('pk_order_return_line')),
    )
    op.create_table(
        'product',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('handle', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('title_key', ByteOrdered, server_default='', nullable=False),
        sa.Column('subtitle', sa.String(), nullable=False),
        sa.Column('description', sa.String(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('thumbnail', sa.String(), nullable=True),
        sa.Column('collection_id', sa.String(), nullable=True),
        sa.Column('featured', sa.Boolean(), nullable=False),
        sa.Column('tax_rate', sa.Integer(), server_default='19', nullable=False),
        sa.Column('tax_excluded', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column('weight', sa.Float(), nullable=True),
        sa.Column('length', sa.Float(), nullable=True),
        sa.Column('height', sa.Float(), nullable=True),
        sa.Column('width', sa.Float(), nullable=True),
        sa.Column('brand', sa.String(), nullable=False),
        sa.Column('age_range', sa.String(), nullable=False),
        sa.Column('material', sa.String(), nullable=True),
        sa.Column('origin_country', sa.String(), nullable=True),
        sa.Column('warnings', sa.String(), server_default='', nullable=False),
        sa.Column('low_stock_at', sa.Integer(), nullable=True),
        sa.Column('preorder_day', sa.Date(), nullable=True),
        sa.Column('preorder_units', sa.Integer(), nullable=True),
        sa.Column('rating_count', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('rating_total', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('extra_metadata', Json, nullable=False),
        sa.Column('deleted_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('NOT tax_excluded OR tax_rate = 0', name=op.f('ck_product_tax_excluded')),
        sa.CheckConstraint('tax_rate IN (0, 5, 19)', name=op.f('ck_product_tax_rate')),
        sa.ForeignKeyConstraint(['collection_id'], ['collection.id'], name=op.f('fk_product_collection_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product')),
        sa.UniqueConstraint('handle', name=op.f('uq_product_handle')),
    )
    op.create_index(op.f('ix_product_age_range'), 'product', ['age_range'])
    op.create_index(op.f('ix_product_brand'), 'product', ['brand'])
    op.create_index(op.f('ix_product_collection_id'), 'product', ['collection_id'])
    op.create_index(op.f('ix_product_featured'), 'product', ['featured'])
    op.create_index('ix_product_for_sale', 'product', ['id', 'status', 'deleted_at'], **_where("status = 'published' AND deleted_at IS NULL"))
    op.create_index('ix_product_hidden', 'product', ['title_key', 'id'], **_where("status <> 'published' AND deleted_at IS NULL"))
    op.create_index('ix_product_kept', 'product', ['title_key', 'id'], **_where('deleted_at IS NULL'))
    op.create_index(op.f('ix_product_low_stock_at'), 'product', ['low_stock_at'])
    op.create_index('ix_product_newest', 'product', ['created_at', 'id'])
    op.create_index('ix_product_shown', 'product', ['featured', 'created_at', 'id'], **_where("status = 'published' AND deleted_at IS NULL"))
    op.create_index(op.f('ix_product_title_key'), 'product', ['title_key'])
    op.create_index('ix_product_weightless', 'product', ['title_key', 'id'], **_where('weight IS NULL AND deleted_at IS NULL'))
    op.create_table(
        'product_import_picture',
        sa.Column('import_id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('url', sa.String(), nullable=False),
        sa.Column('problem', sa.String(), nullable=False),
        sa.Column('checksum', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['import_id'], ['product_import.id'], name=op.f('fk_product_import_picture_import_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('import_id', 'name', name=op.f('pk_product_import_picture')),
    )
    op.create_table(
        'product_import_row',
        sa.Column('import_id', sa.String(), nullable=False),
        sa.Column('line', sa.Integer(), nullable=False),
        sa.Column('texts', Json, nullable=False),
        sa.Column('source_problems', Json, nullable=False),
        sa.Column('source_notes', Json, nullable=False),
        sa.Column('plan', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('of_product', sa.String(), server_default='', nullable=False),
        sa.Column('problems', Json, nullable=False),
        sa.Column('notes', Json, nullable=False),
        sa.Column('losses', Json, nullable=False),
        sa.Column('changes', Json, nullable=False),
        sa.ForeignKeyConstraint(['import_id'], ['product_import.id'], name=op.f('fk_product_import_row_import_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('import_id', 'line', name=op.f('pk_product_import_row')),
    )
    op.create_index('ix_product_import_row_plan', 'product_import_row', ['import_id', 'plan', 'line'])
    op.create_index('ix_product_import_row_product', 'product_import_row', ['import_id', 'of_product'])
    op.create_index('ix_product_import_row_state', 'product_import_row', ['import_id', 'state', 'line'])
    op.create_table(
        'product_import_table',
        sa.Column('import_id', sa.String(), nullable=False),
        sa.Column('content', Json, nullable=False),
        sa.ForeignKeyConstraint(['import_id'], ['product_import.id'], name=op.f('fk_product_import_table_import_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('import_id', name=op.f('pk_product_import_table')),
    )
    op.create_table(
        'promotion',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('code', sa.String(), nullable=False),
        sa.Column('code_key', sa.String(), nullable=False),
        sa.Column('type', sa.String(), nullable=False),
        sa.Column('is_automatic', sa.Boolean(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('campaign_id', sa.String(), nullable=True),
        sa.Column('use_limit', sa.Integer(), nullable=True),
        sa.Column('method_type', sa.String(), nullable=False),
        sa.Column('target_type', sa.String(), nullable=False),
        sa.Column('allocation', sa.String(), nullable=False),
        sa.Column('value', sa.Integer(), nullable=False),
        sa.Column('max_quantity', sa.Integer(), nullable=True),
        sa.Column('buy_quantity', sa.Integer(), nullable=True),
        sa.Column('apply_quantity', sa.Integer(), nullable=True),
        sa.Column('description', sa.String(), nullable=True),
        sa.Column('combination', sa.String(), nullable=False),
        sa.Column('rules', Json, nullable=False),
        sa.Column('target_rules', Json, nullable=False),
        sa.Column('buy_rules', Json, nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('deleted_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint("method_type <> 'percentage' OR value <= 100", name=op.f('ck_promotion_percentage')),
        sa.CheckConstraint("type <> 'buyget' OR (buy_quantity > 0 AND apply_quantity > 0)", name=op.f('ck_promotion_buyget')),
        sa.CheckConstraint('max_quantity IS NULL OR max_quantity > 0', name=op.f('ck_promotion_max_quantity')),
        sa.CheckConstraint('use_limit IS NULL OR use_limit > 0', name=op.f('ck_promotion_use_limit')),
        sa.CheckConstraint('value > 0', name=op.f('ck_promotion_value')),
        sa.ForeignKeyConstraint(['campaign_id'], ['campaign.id'], name=op.f('fk_promotion_campaign_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_promotion')),
    )
    op.create_index('ix_promotion_automatic', 'promotion', ['id'], **_where("is_automatic AND status = 'active' AND deleted_at IS NULL"))
    op.create_index(op.f('ix_promotion_campaign_id'), 'promotion', ['campaign_id'])
    op.create_index('uq_promotion_code', 'promotion', ['code_key'], unique=True, **_where('deleted_at IS NULL'))
    op.create_table(
        'publishable_key',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('token', sa.String(), nullable=False),
        sa.Column('sales_channel_id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=True),
        sa.Column('revoked_at', UtcDateTime(), nullable=True),
        sa.Column('revoked_by', sa.String(), nullable=True),
        sa.ForeignKeyConstraint(['sales_channel_id'], ['sales_channel.id'], name=op.f('fk_publishable_key_sales_channel_id')),
        sa.PrimaryKeyConstraint('token', name=op.f('pk_publishable_key')),
    )
    op.create_table(
        'push_subscription',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('staff_id', sa.String(), nullable=False),
        sa.Column('endpoint', sa.String(), nullable=False),
        sa.Column('p256dh', sa.String(), nullable=False),
        sa.Column('auth', sa.String(), nullable=False),
        sa.Column('session_id', sa.String(), nullable=False),
        sa.Column('device', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['staff_id'], ['staff.id'], name=op.f('fk_push_subscription_staff_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_push_subscription')),
        sa.UniqueConstraint('endpoint', name=op.f('uq_push_subscription_endpoint')),
    )
    op.create_index(op.f('ix_push_subscription_session_id'), 'push_subscription', ['session_id'])
    op.create_index(op.f('ix_push_subscription_staff_id'), 'push_subscription', ['staff_id'])
    op.create_table(
        'reset_link',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_reset_link_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('token_hash', name=op.f('pk_reset_link')),
    )
    op.create_index(op.f('ix_reset_link_customer_id'), 'reset_link', ['customer_id'])
    op.create_table(
        'sandbox_notification',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.Integer(), nullable=False),
        sa.Column('ref_payco', sa.Integer(), nullable=False),
        sa.Column('state', sa.Integer(), nullable=False),
        sa.Column('forged', sa.Boolean(), nullable=False),
        sa.Column('attempts', sa.Integer(), nullable=False),
        sa.Column('due_at', UtcDateTime(), nullable=True),
        sa.Column('delivered_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['ref_payco'], ['sandbox_transaction.ref_payco'], name=op.f('fk_sandbox_notification_ref_payco')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_sandbox_notification')),
    )
    op.create_index('ix_sandbox_notification_open', 'sandbox_notification', ['due_at'], **_where('delivered_at IS NULL'))
    op.create_index(op.f('ix_sandbox_notification_ref_payco'), 'sandbox_notification', ['ref_payco'])
    op.create_table(
        'secret_key',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=False),
        sa.Column('redacted', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('role', sa.String(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.Column('last_used_at', UtcDateTime(), nullable=True),
        sa.Column('revoked_at', UtcDateTime(), nullable=True),
        sa.Column('revoked_by', sa.String(), nullable=True),
        sa.ForeignKeyConstraint(['created_by'], ['staff.id'], name=op.f('fk_secret_key_created_by')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_secret_key')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_secret_key_token_hash')),
    )
    op.create_index(op.f('ix_secret_key_created_by'), 'secret_key', ['created_by'])
    op.create_table(
        'staff_notice_choice',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('staff_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('by_mail', sa.Boolean(), nullable=False),
        sa.Column('by_push', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['staff_id'], ['staff.id'], name=op.f('fk_staff_notice_choice_staff_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('staff_id', 'kind', name=op.f('pk_staff_notice_choice')),
    )
    op.create_table(
        'staff_recovery_code',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('code_hash', sa.String(), nullable=False),
        sa.Column('staff_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['staff_id'], ['staff.id'], name=op.f('fk_staff_recovery_code_staff_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('code_hash', name=op.f('pk_staff_recovery_code')),
    )
    op.create_index(op.f('ix_staff_recovery_code_staff_id'), 'staff_recovery_code', ['staff_id'])
    op.create_table(
        'staff_session',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=False),
        sa.Column('staff_id', sa.String(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.Column('last_seen_at', UtcDateTime(), nullable=False),
        sa.Column('second_factor_at', UtcDateTime(), nullable=True),
        sa.Column('revoked_at', UtcDateTime(), nullable=True),
        sa.Column('user_agent', sa.String(), nullable=False),
        sa.Column('address', sa.String(), nullable=False),
        sa.Column('token_chain', sa.String(), server_default='', nullable=False),
        sa.ForeignKeyConstraint(['staff_id'], ['staff.id'], name=op.f('fk_staff_session_staff_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_staff_session')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_staff_session_token_hash')),
    )
    op.create_index(op.f('ix_staff_session_expires_at'), 'staff_session', ['expires_at'])
    op.create_index(op.f('ix_staff_session_staff_id'), 'staff_session', ['staff_id'])
    op.create_table(
        'cart_promotion',
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('promotion_id', sa.String(), nullable=False),
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_cart_promotion_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['promotion_id'], ['promotion.id'], name=op.f('fk_cart_promotion_promotion_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('cart_id', 'promotion_id', name=op.f('pk_cart_promotion')),
    )
    op.create_index(op.f('ix_cart_promotion_promotion_id'), 'cart_promotion', ['promotion_id'])
    op.create_table(
        'former_handle',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('handle', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_former_handle_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('handle', name=op.f('pk_former_handle')),
    )
    op.create_index(op.f('ix_former_handle_product_id'), 'former_handle', ['product_id'])
    op.create_table(
        'low_stock',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('notice_id', sa.String(), nullable=False),
        sa.Column('is_out', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_low_stock_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('product_id', name=op.f('pk_low_stock')),
    )
    op.create_table(
        'order',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('region_id', sa.String(), nullable=False),
        sa.Column('sales_channel_id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('guest_id', sa.String(), nullable=True),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('locale', sa.String(), nullable=True),
        sa.Column('origin', sa.String(), server_default='web', nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('payment_status', sa.String(), nullable=False),
        sa.Column('fulfillment_status', sa.String(), nullable=False),
        sa.Column('currency_code', sa.String(), nullable=False),
        sa.Column('item_total', sa.Integer(), nullable=False),
        sa.Column('shipping_total', sa.Integer(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('adjustments', Json, server_default=sa.text("'[]'"), nullable=False),
        sa.Column('shipping_name', sa.String(), nullable=False),
        sa.Column('shipping_tax_rate', sa.Integer(), server_default='19', nullable=False),
        sa.Column('shipping_option_id', sa.String(), nullable=True),
        sa.Column('shipping_data', Json, nullable=False),
        sa.Column('shipping_address', Json, nullable=False),
        sa.Column('billing_address', Json, nullable=False),
        sa.Column('address_corrected_at', UtcDateTime(), nullable=True),
        sa.Column('payer', Json, nullable=True),
        sa.Column('erased_at', UtcDateTime(), nullable=True),
        sa.Column('paid_at', UtcDateTime(), nullable=True),
        sa.Column('invoice_skipped_at', UtcDateTime(), nullable=True),
        sa.Column('promised_day', sa.Date(), nullable=True),
        sa.Column('canceled_at', UtcDateTime(), nullable=True),
        sa.Column('canceled_by', sa.String(), nullable=True),
        sa.Column('meta', Json, nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_order_cart_id')),
        sa.ForeignKeyConstraint(['region_id'], ['region.id'], name=op.f('fk_order_region_id')),
        sa.ForeignKeyConstraint(['sales_channel_id'], ['sales_channel.id'], name=op.f('fk_order_sales_channel_id')),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_order')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_order_cart_id')),
        sa.UniqueConstraint('id', name=op.f('uq_order_id')),
        sqlite_autoincrement=True,
    )
    op.create_index('ix_order_created_at', 'order', ['created_at', 'number'])
    op.create_index(op.f('ix_order_customer_id'), 'order', ['customer_id'])
    op.create_index(op.f('ix_order_email'), 'order', ['email'])
    op.create_index('ix_order_erased', 'order', ['created_at', 'number'], **_where('erased_at IS NOT NULL'))
    op.create_index('ix_order_fulfillment_status', 'order', ['fulfillment_status', 'created_at', 'number'])
    op.create_index('ix_order_gift', 'order', ['created_at', 'cart_id'], **_where_json("meta->gift_message IS NOT NULL OR billing_address->first_name != '' AND shipping_address->first_name != '' AND billing_address->first_name != shipping_address->first_name OR billing_address->last_name != '' AND shipping_address->last_name != '' AND billing_address->last_name != shipping_address->last_name"))
    op.create_index(op.f('ix_order_guest_id'), 'order', ['guest_id'])
    op.create_index('ix_order_payment_status', 'order', ['payment_status', 'created_at', 'number'])
    op.create_index('ix_order_sold', 'order', ['status', 'paid_at', 'total'])
    op.create_index('ix_order_status', 'order', ['status', 'created_at', 'number'])
    op.create_index('ix_order_to_pack', 'order', ['status', 'paid_at', 'number'], **_where("status = 'pending' AND (payment_status = 'captured' OR payment_status = 'partially_captured' OR payment_status = 'partially_refunded') AND (fulfillment_status = 'not_fulfilled' OR fulfillment_status = 'partially_fulfilled' OR fulfillment_status = 'partially_shipped' OR fulfillment_status = 'partially_delivered')"))
    op.create_index('ix_order_uninvoiced', 'order', ['number'], **_where('invoice_skipped_at IS NOT NULL'))
    op.create_table(
        'payment_collection',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('currency_code', sa.String(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_payment_collection_cart_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_collection')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_payment_collection_cart_id')),
    )
    op.create_table(
        'product_category',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('category_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['category_id'], ['category.id'], name=op.f('fk_product_category_category_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_product_category_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('product_id', 'category_id', name=op.f('pk_product_category')),
    )
    op.create_index(op.f('ix_product_category_category_id'), 'product_category', ['category_id'])
    op.create_table(
        'unknown_address',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('former_address', sa.String(), nullable=False),
        sa.Column('visits', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('seen_at', UtcDateTime(), nullable=False),
        sa.Column('is_dismissed', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_unknown_address')),
        sa.UniqueConstraint('former_address', name=op.f('uq_unknown_address_former_address')),
    )
    op.create_index(op.f('ix_unknown_address_seen_at'), 'unknown_address', ['seen_at'])
    op.create_table(
        'url_redirect',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('former_address', sa.String(), nullable=False),
        sa.Column('has_query', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=True),
        sa.Column('category_id', sa.String(), nullable=True),
        sa.Column('collection_id', sa.String(), nullable=True),
        sa.CheckConstraint('CASE WHEN product_id IS NULL THEN 0 ELSE 1 END + CASE WHEN category_id IS NULL THEN 0 ELSE 1 END + CASE WHEN collection_id IS NULL THEN 0 ELSE 1 END = 1', name=op.f('ck_url_redirect_target')),
        sa.ForeignKeyConstraint(['category_id'], ['category.id'], name=op.f('fk_url_redirect_category_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['collection_id'], ['collection.id'], name=op.f('fk_url_redirect_collection_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_url_redirect_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_url_redirect')),
        sa.UniqueConstraint('former_address', name=op.f('uq_url_redirect_former_address')),
    )
    op.create_index(op.f('ix_url_redirect_category_id'), 'url_redirect', ['category_id'])
    op.create_index(op.f('ix_url_redirect_collection_id'), 'url_redirect', ['collection_id'])
    op.create_index(op.f('ix_url_redirect_has_query'), 'url_redirect', ['has_query'])
    op.create_index(op.f('ix_url_redirect_product_id'), 'url_redirect', ['product_id'])
    op.create_table(
        'product_has_tag',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('tag_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_product_has_tag_product_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['tag_id'], ['product_tag.id'], name=op.f('fk_product_has_tag_tag_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('product_id', 'tag_id', name=op.f('pk_product_has_tag')),
    )
    op.create_index(op.f('ix_product_has_tag_tag_id'), 'product_has_tag', ['tag_id'])
    op.create_table(
        'product_has_type',
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('type_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_product_has_type_product_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['type_id'], ['product_type.id'], name=op.f('fk_product_has_type_type_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('product_id', name=op.f('pk_product_has_type')),
    )
    op.create_index(op.f('ix_product_has_type_type_id'), 'product_has_type', ['type_id'])
    op.create_table(
        'product_option',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('meta', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_product_option_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_option')),
        sa.UniqueConstraint('product_id', 'title', name=op.f('uq_product_option_product_id_title')),
    )
    op.create_table(
        'product_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_product_term_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('term', 'product_id', name=op.f('pk_product_term')),
    )
    op.create_index('ix_product_term_product_id', 'product_term', ['product_id', 'term'])
    op.create_table(
        'promotion_use',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('promotion_id', sa.String(), nullable=False),
        sa.Column('holder', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=True),
        sa.Column('buyer', sa.String(), nullable=False),
        sa.Column('confirmed_at', UtcDateTime(), nullable=True),
        sa.Column('is_counted', sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(['promotion_id'], ['promotion.id'], name=op.f('fk_promotion_use_promotion_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_promotion_use')),
        sa.UniqueConstraint('holder', 'promotion_id', name=op.f('uq_promotion_use_holder_promotion_id')),
    )
    op.create_index(op.f('ix_promotion_use_customer_id'), 'promotion_use', ['customer_id'])
    op.create_index(op.f('ix_promotion_use_promotion_id'), 'promotion_use', ['promotion_id'])
    op.create_table(
        'review',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('stars', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('pictures', Json, nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('refusal', sa.String(), nullable=False),
        sa.Column('answer', sa.String(), nullable=False),
        sa.Column('answered_at', UtcDateTime(), nullable=True),
        sa.Column('written_at', UtcDateTime(), nullable=False),
        sa.Column('decided_at', UtcDateTime(), nullable=True),
        sa.Column('is_demo', sa.Boolean(), nullable=False),
        sa.CheckConstraint('stars BETWEEN 1 AND 5', name=op.f('ck_review_stars')),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_review_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_review')),
        sa.UniqueConstraint('order_id', 'product_id', name=op.f('uq_review_order_id_product_id')),
    )
    op.create_index('ix_review_of_product', 'review', ['product_id', 'state', 'written_at'])
    op.create_index('ix_review_waiting', 'review', ['written_at'], **_where("state = 'waiting'"))
    op.create_table(
        'search_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('weight', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_search_term_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('term', 'product_id', name=op.f('pk_search_term')),
    )
    op.create_index('ix_search_term_product_id', 'search_term', ['product_id', 'term'])
    op.create_table(
        'service_zone',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('fulfillment_set_id', sa.String(), nullable=False),
        sa.Column('country_codes', Json, nullable=False),
        sa.Column('municipality_codes', Json, nullable=False),
        sa.ForeignKeyConstraint(['fulfillment_set_id'], ['fulfillment_set.id'], name=op.f('fk_service_zone_fulfillment_set_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_service_zone')),
    )
    op.create_table(
        'variant',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('sku', sa.String(), nullable=True),
        sa.Column('ean', sa.String(), nullable=True),
        sa.Column('price', sa.Integer(), nullable=False),
        sa.Column('compare_at_price', sa.Integer(), nullable=True),
        sa.Column('cost', sa.Integer(), nullable=True),
        sa.Column('thumbnail', sa.String(), nullable=True),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('is_free', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint('cost >= 0', name=op.f('ck_variant_cost')),
        sa.CheckConstraint('price >= 0', name=op.f('ck_variant_price')),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_variant_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_variant')),
        sa.UniqueConstraint('sku', name=op.f('uq_variant_sku')),
    )
    op.create_index(op.f('ix_variant_ean'), 'variant', ['ean'], unique=True)
    op.create_index('ix_variant_on_sale', 'variant', ['product_id'], **_where('compare_at_price > price'))
    op.create_index('ix_variant_price', 'variant', ['price', 'product_id'])
    op.create_index(op.f('ix_variant_product_id'), 'variant', ['product_id'])
    op.create_table(
        'inventory_level',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('location_id', sa.String(), nullable=False),
        sa.Column('stocked', sa.Integer(), nullable=False),
        sa.Column('reserved', sa.Integer(), nullable=False),
        sa.Column('incoming', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.CheckConstraint('incoming >= 0', name=op.f('ck_inventory_level_incoming')),
        sa.CheckConstraint('reserved >= 0 AND reserved <= stocked + incoming', name=op.f('ck_inventory_level_reserved')),
        sa.CheckConstraint('stocked >= 0', name=op.f('ck_inventory_level_stocked')),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_inventory_level_variant_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_inventory_level')),
        sa.UniqueConstraint('variant_id', 'location_id', name=op.f('uq_inventory_level_variant_id_location_id')),
    )
    op.create_index('ix_inventory_level_free', 'inventory_level', [sa.text('(stocked - reserved)'), 'id'])
    op.create_index(op.f('ix_inventory_level_location_id'), 'inventory_level', ['location_id'])
    op.create_index(op.f('ix_inventory_level_variant_id'), 'inventory_level', ['variant_id'])
    op.create_table(
        'line_item',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.CheckConstraint('quantity > 0', name=op.f('ck_line_item_quantity')),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_line_item_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_line_item_variant_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_line_item')),
    )
    op.create_index(op.f('ix_line_item_cart_id'), 'line_item', ['cart_id'])
    op.create_table(
        'order_line',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('title', sa.String(), nullable=False),
        sa.Column('product_handle', sa.String(), nullable=False),
        sa.Column('variant_title', sa.String(), nullable=False),
        sa.Column('sku', sa.String(), nullable=True),
        sa.Column('thumbnail', sa.String(), nullable=True),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('unit_price', sa.Integer(), nullable=False),
        sa.Column('compare_at_price', sa.Integer(), nullable=True),
        sa.Column('unit_cost', sa.Integer(), nullable=True),
        sa.Column('tax_rate', sa.Integer(), server_default='19', nullable=False),
        sa.Column('tax_excluded', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column('fulfilled', sa.Integer(), nullable=False),
        sa.Column('withdrawn', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('returned', sa.Integer(), server_default=sa.text('0'), nullable=False),
        sa.Column('facts', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.ForeignKeyConstraint(['order_id'], ['order.id'], name=op.f('fk_order_line_order_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_line')),
    )
    op.create_index(op.f('ix_order_line_order_id'), 'order_line', ['order_id'])
    op.create_table(
        'order_note',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_number', sa.Integer(), nullable=False),
        sa.Column('text', sa.String(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['order_number'], ['order.number'], name=op.f('fk_order_note_order_number'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_note')),
    )
    op.create_index(op.f('ix_order_note_order_number'), 'order_note', ['order_number'])
    op.create_table(
        'order_term',
        sa.Column('term', ByteOrdered, nullable=False),
        sa.Column('order_number', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['order_number'], ['order.number'], name=op.f('fk_order_term_order_number'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('term', 'order_number', name=op.f('pk_order_term')),
    )
    op.create_index('ix_order_term_order_number', 'order_term', ['order_number', 'term'])
    op.create_table(
        'cart_reminder',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('requested_at', UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_cart_reminder_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_cart_reminder_customer_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_cart_reminder')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_cart_reminder_cart_id')),
    )
    op.create_index(op.f('ix_cart_reminder_customer_id'), 'cart_reminder', ['customer_id'])
    op.create_table(
        'draft_order',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('is_current', sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.Column('exchange_id', sa.String(), nullable=True),
        sa.Column('canceled_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_draft_order_cart_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_draft_order')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_draft_order_cart_id')),
        sa.UniqueConstraint('exchange_id', name=op.f('uq_draft_order_exchange_id')),
    )
    op.create_index('ix_draft_order_created_at', 'draft_order', ['created_at', 'id'])
    op.create_index('uq_draft_order_current', 'draft_order', ['created_by'], unique=True, **_where('is_current'))
    op.create_table(
        'draft_order_edit',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('draft_order_id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('base', Json, nullable=False),
        sa.Column('requested_at', UtcDateTime(), nullable=True),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_draft_order_edit_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['draft_order_id'], ['draft_order.id'], name=op.f('fk_draft_order_edit_draft_order_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_draft_order_edit')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_draft_order_edit_cart_id')),
        sa.UniqueConstraint('draft_order_id', name=op.f('uq_draft_order_edit_draft_order_id')),
    )
    op.create_table(
        'payment_link',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('draft_order_id', sa.String(), nullable=False),
        sa.Column('token_hash', sa.String(), nullable=False),
        sa.Column('total', sa.Integer(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['draft_order_id'], ['draft_order.id'], name=op.f('fk_payment_link_draft_order_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_link')),
        sa.UniqueConstraint('token_hash', name=op.f('uq_payment_link_token_hash')),
    )
    op.create_index(op.f('ix_payment_link_draft_order_id'), 'payment_link', ['draft_order_id'])
    op.create_table(
        'order_exchange',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('number', sa.Integer(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('return_id', sa.String(), nullable=False),
        sa.Column('draft_order_id', sa.String(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('credit', sa.Integer(), nullable=True),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.Column('requested_at', UtcDateTime(), nullable=True),
        sa.Column('completed_at', UtcDateTime(), nullable=True),
        sa.Column('canceled_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('credit IS NULL OR credit > 0', name=op.f('ck_order_exchange_credit')),
        sa.ForeignKeyConstraint(['draft_order_id'], ['draft_order.id'], name=op.f('fk_order_exchange_draft_order_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('number', name=op.f('pk_order_exchange')),
        sa.UniqueConstraint('draft_order_id', name=op.f('uq_order_exchange_draft_order_id')),
        sa.UniqueConstraint('id', name=op.f('uq_order_exchange_id')),
        sa.UniqueConstraint('return_id', name=op.f('uq_order_exchange_return_id')),
    )
    op.create_index('ix_order_exchange_created_at', 'order_exchange', ['created_at', 'number'])
    op.create_index(op.f('ix_order_exchange_order_id'), 'order_exchange', ['order_id'])
    op.create_table(
        'order_edit',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=False),
        sa.Column('status', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.Column('confirmed_by', sa.String(), nullable=True),
        sa.Column('requested_at', UtcDateTime(), nullable=True),
        sa.Column('confirmed_at', UtcDateTime(), nullable=True),
        sa.Column('canceled_at', UtcDateTime(), nullable=True),
        sa.Column('total_before', sa.Integer(), nullable=True),
        sa.Column('total_after', sa.Integer(), nullable=True),
        sa.Column('changes', Json, nullable=False),
        sa.Column('shipping', Json, nullable=True),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_edit')),
    )
    op.create_index('ix_order_edit_order_id', 'order_edit', ['order_id'])
    op.create_index('uq_order_edit_open', 'order_edit', ['order_id'], unique=True, **_where("status = 'pending' OR status = 'requested'"))
    op.create_table(
        'order_edit_action',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('edit_id', sa.String(), nullable=False),
        sa.Column('kind', sa.String(), nullable=False),
        sa.Column('line_id', sa.String(), nullable=True),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.CheckConstraint('quantity >= 0', name=op.f('ck_order_edit_action_quantity')),
        sa.ForeignKeyConstraint(['edit_id'], ['order_edit.id'], name=op.f('fk_order_edit_action_edit_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_order_edit_action')),
        sa.UniqueConstraint('edit_id', 'line_id', name=op.f('uq_order_edit_action_edit_id_line_id')),
    )
    op.create_index(op.f('ix_order_edit_action_edit_id'), 'order_edit_action', ['edit_id'])
    op.create_table(
        'day_closing',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('opening_cash', sa.Integer(), nullable=False),
        sa.Column('received', Json, nullable=False),
        sa.Column('given_back', Json, nullable=False),
        sa.Column('expected_cash', sa.Integer(), nullable=False),
        sa.Column('counted_cash', sa.Integer(), nullable=False),
        sa.Column('left_cash', sa.Integer(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('closed_by', sa.String(), nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_day_closing')),
    )
    op.create_index('ix_day_closing_created_at', 'day_closing', ['created_at', 'id'])
    op.create_table(
        'payment_session',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('collection_id', sa.String(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('currency_code', sa.String(), nullable=False),
        sa.Column('invoice', sa.String(), nullable=False),
        sa.Column('reference', sa.String(), nullable=True),
        sa.Column('transaction_id', sa.String(), nullable=True),
        sa.Column('ticket_id', sa.String(), nullable=True),
        sa.Column('redirect_url', sa.String(), nullable=True),
        sa.Column('data', Json, nullable=False),
        sa.Column('snapshot', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column('units', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column('holds_stock', sa.Boolean(), server_default=sa.text('true'), nullable=False),
        sa.Column('client_address', sa.String(), nullable=True),
        sa.Column('client_device', sa.String(), nullable=True),
        sa.Column('client_email', sa.String(), nullable=True),
        sa.Column('client_phone', sa.String(), nullable=True),
        sa.Column('captured_amount', sa.Integer(), nullable=True),
        sa.Column('method', sa.String(), nullable=True),
        sa.Column('closing_id', sa.String(), nullable=True),
        sa.Column('close_reason', sa.String(), nullable=True),
        sa.Column('expires_at', UtcDateTime(), nullable=True),
        sa.Column('checked_at', UtcDateTime(), nullable=True),
        sa.Column('authorized_at', UtcDateTime(), nullable=True),
        sa.Column('captured_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['collection_id'], ['payment_collection.id'], name=op.f('fk_payment_session_collection_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_payment_session')),
        sa.UniqueConstraint('invoice', name=op.f('uq_payment_session_invoice')),
    )
    op.create_index('ix_payment_session_captured', 'payment_session', ['captured_at', 'captured_amount', 'collection_id'])
    op.create_index('ix_payment_session_client', 'payment_session', ['expires_at', 'client_address', 'client_device', 'client_email', 'client_phone'])
    op.create_index(op.f('ix_payment_session_collection_id'), 'payment_session', ['collection_id'])
    op.create_index(op.f('ix_payment_session_expires_at'), 'payment_session', ['expires_at'])
    op.create_index(op.f('ix_payment_session_reference'), 'payment_session', ['reference'])
    op.create_index(op.f('ix_payment_session_state'), 'payment_session', ['state'])
    op.create_index(op.f('ix_payment_session_transaction_id'), 'payment_session', ['transaction_id'])
    op.create_index('ix_payment_session_uncounted', 'payment_session', ['method'], **_where('method IS NOT NULL AND closing_id IS NULL'))
    op.create_index('uq_payment_session_live', 'payment_session', ['collection_id'], unique=True, **_where("state IN ('pending', 'initiating', 'pending_authorization')"))
    op.create_table(
        'price_list_price',
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('price_list_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('state', sa.String(), nullable=False),
        sa.Column('before', sa.Integer(), nullable=True),
        sa.Column('compare_at_before', sa.Integer(), nullable=True),
        sa.Column('problem', sa.String(), nullable=False),
        sa.CheckConstraint('amount > 0', name=op.f('ck_price_list_price_amount')),
        sa.ForeignKeyConstraint(['price_list_id'], ['price_list.id'], name=op.f('fk_price_list_price_price_list_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_price_list_price_variant_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_price_list_price')),
        sa.UniqueConstraint('price_list_id', 'variant_id', name=op.f('uq_price_list_price_price_list_id_variant_id')),
    )
    op.create_index('ix_price_list_price_state', 'price_list_price', ['price_list_id', 'state', 'product_id'])
    op.create_index(op.f('ix_price_list_price_variant_id'), 'price_list_price', ['variant_id'])
    op.create_index('uq_price_list_price_on', 'price_list_price', ['variant_id'], unique=True, **_where("state = 'on'"))
    op.create_table(
        'product_option_value',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('option_id', sa.String(), nullable=False),
        sa.Column('value', sa.String(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('meta', Json, server_default=sa.text("'{}'"), nullable=False),
        sa.ForeignKeyConstraint(['option_id'], ['product_option.id'], name=op.f('fk_product_option_value_option_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_product_option_value')),
        sa.UniqueConstraint('option_id', 'value', name=op.f('uq_product_option_value_option_id_value')),
    )
    op.create_table(
        'picture',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('url', sa.String(), nullable=False),
        sa.Column('alt', sa.String(), nullable=False),
        sa.Column('value_id', sa.String(), nullable=True),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('width', sa.Integer(), nullable=False),
        sa.Column('height', sa.Integer(), nullable=False),
        sa.Column('sources', Json, nullable=False),
        sa.Column('source_url', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_picture_product_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['value_id'], ['product_option_value.id'], name=op.f('fk_picture_value_id'), ondelete='SET NULL'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_picture')),
        sa.UniqueConstraint('product_id', 'rank', name=op.f('uq_picture_product_id_rank')),
    )
    op.create_index(op.f('ix_picture_product_id'), 'picture', ['product_id'])
    op.create_index('ix_picture_source_url', 'picture', ['source_url'], **_where("source_url <> ''"))
    op.create_index(op.f('ix_picture_value_id'), 'picture', ['value_id'])
    op.create_table(
        'shipping_option',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('price_type', sa.String(), nullable=False),
        sa.Column('provider_id', sa.String(), nullable=False),
        sa.Column('service_zone_id', sa.String(), nullable=False),
        sa.Column('shipping_profile_id', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=True),
        sa.Column('data', Json, nullable=False),
        sa.Column('meta', Json, nullable=False),
        sa.Column('deleted_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint("price_type = 'calculated' OR amount IS NOT NULL", name=op.f('ck_shipping_option_amount')),
        sa.CheckConstraint("price_type IN ('flat', 'calculated')", name=op.f('ck_shipping_option_price_type')),
        sa.ForeignKeyConstraint(['service_zone_id'], ['service_zone.id'], name=op.f('fk_shipping_option_service_zone_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['shipping_profile_id'], ['shipping_profile.id'], name=op.f('fk_shipping_option_shipping_profile_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_shipping_option')),
    )
    op.create_table(
        'stock_notice',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('email', sa.String(), nullable=False),
        sa.Column('confirmed_at', UtcDateTime(), nullable=True),
        sa.Column('told_at', UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_stock_notice_variant_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_stock_notice')),
        sa.UniqueConstraint('variant_id', 'email', name=op.f('uq_stock_notice_variant_id_email')),
    )
    op.create_table(
        'cart_shipping_method',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('shipping_option_id', sa.String(), nullable=False),
        sa.Column('name', sa.String(), nullable=False),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('data', Json, nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_cart_shipping_method_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['shipping_option_id'], ['shipping_option.id'], name=op.f('fk_cart_shipping_method_shipping_option_id')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_cart_shipping_method')),
        sa.UniqueConstraint('cart_id', name=op.f('uq_cart_shipping_method_cart_id')),
    )
    op.create_table(
        'refund',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('payment_session_id', sa.String(), nullable=False),
        sa.Column('order_id', sa.String(), nullable=True),
        sa.Column('amount', sa.Integer(), nullable=False),
        sa.Column('reference', sa.String(), nullable=False),
        sa.Column('reason', sa.String(), nullable=False),
        sa.Column('note', sa.String(), nullable=True),
        sa.Column('method', sa.String(), server_default='transfer', nullable=False),
        sa.Column('closing_id', sa.String(), nullable=True),
        sa.Column('lines', Json, nullable=False),
        sa.Column('created_by', sa.String(), nullable=False),
        sa.CheckConstraint('amount > 0', name=op.f('ck_refund_amount')),
        sa.ForeignKeyConstraint(['payment_session_id'], ['payment_session.id'], name=op.f('fk_refund_payment_session_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_refund')),
        sa.UniqueConstraint('payment_session_id', 'reference', name=op.f('uq_refund_payment_session_id_reference')),
    )
    op.create_index('ix_refund_booked', 'refund', ['created_at', 'amount'])
    op.create_index(op.f('ix_refund_order_id'), 'refund', ['order_id'])
    op.create_table(
        'reservation',
        sa.Column('created_at', UtcDateTime(), nullable=False),
        sa.Column('updated_at', UtcDateTime(), nullable=False),
        sa.Column('id', sa.String(), nullable=False),
        sa.Column('level_id', sa.String(), nullable=False),
        sa.Column('holder', sa.String(), nullable=False),
        sa.Column('quantity', sa.Integer(), nullable=False),
        sa.Column('expires_at', UtcDateTime(), nullable=True),
        sa.CheckConstraint('quantity > 0', name=op.f('ck_reservation_quantity')),
        sa.ForeignKeyConstraint(['level_id'], ['inventory_level.id'], name=op.f('fk_reservation_level_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_reservation')),
        sa.UniqueConstraint('holder', 'level_id', name=op.f('uq_reservation_holder_level_id')),
    )
    op.create_index(op.f('ix_reservation_expires_at'), 'reservation', ['expires_at'])
    op.create_index(op.f('ix_reservation_holder'), 'reservation', ['holder'])
    op.create_index(op.f('ix_reservation_level_id'), 'reservation', ['level_id'])
    op.create_table(
        'shipping_quote',
        sa.Column('cart_id', sa.String(), nullable=False),
        sa.Column('shipping_option_id', sa.String(), nullable=False),
        sa.Column('request', sa.String(), nullable=False),
        sa.Column('quote', Json, nullable=False),
        sa.Column('quoted_at', UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['cart_id'], ['cart.id'], name=op.f('fk_shipping_quote_cart_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['shipping_option_id'], ['shipping_option.id'], name=op.f('fk_shipping_quote_shipping_option_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('cart_id', 'shipping_option_id', name=op.f('pk_shipping_quote')),
    )
    op.create_index(op.f('ix_shipping_quote_shipping_option_id'), 'shipping_quote', ['shipping_option_id'])
    op.create_table(
        'variant_option_value',
        sa.Column('variant_id', sa.String(), nullable=False),
        sa.Column('value_id', sa.String(), nullable=False),
        sa.ForeignKeyConstraint(['value_id'], ['product_option_value.id'], name=op.f('fk_variant_option_value_value_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['variant_id'], ['variant.id'], name=op.f('fk_variant_option_value_variant_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('variant_id', 'value_id', name=op.f('pk_variant_option_value')),
    )
    op.create_index(op.f('ix_variant_option_value_value_id'), 'variant_option_value', ['value_id'])
    op.create_table(
        'wishlist_entry',
        sa.Column('customer_id', sa.String(), nullable=False),
        sa.Column('product_id', sa.String(), nullable=False),
        sa.Column('is_saved', sa.Boolean(), nullable=False),
        sa.Column('changed_at', UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(['customer_id'], ['customer.id'], name=op.f('fk_wishlist_entry_customer_id'), ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['product_id'], ['product.id'], name=op.f('fk_wishlist_entry_product_id'), ondelete='CASCADE'),
        sa.PrimaryKeyConstraint('customer_id', 'product_id', name=op.f('pk_wishlist_entry')),
    )
    op.create_index(op.f('ix_wishlist_entry_product_id'), 'wishlist_entry', ['product_id'])
