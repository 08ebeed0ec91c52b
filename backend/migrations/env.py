"""Alembic's entry point. The connection and its transaction belong to `runner`."""

from alembic import context
from sqlmodel import SQLModel

import backend.core.db.tables  # noqa: F401 - its naming convention names the constraints that revisions create

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=context.config.attributes.get("tables", SQLModel.metadata),
    render_as_batch=True,  # SQLite changes a table by copying it
    compare_type=True,
    transactional_ddl=False,  # the runner's transaction holds all steps
)
context.run_migrations()
