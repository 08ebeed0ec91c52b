"""Alembic's entry point. The connection, and the transaction it is in, are `runner`'s."""

from alembic import context

from backend.migrations.tables import all_tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=all_tables(),
    render_as_batch=True,  # SQLite changes a table by copying it
    compare_type=True,
    transactional_ddl=False,  # the runner's transaction holds all steps
)
context.run_migrations()
