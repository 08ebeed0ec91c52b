"""Stock statements of a purchase use an index, for any number of products."""

import json

import pytest
from sqlalchemy import Select, text

from backend.core.db.database import Database
from backend.inventory import statements

PARAMS = {"variant_ids": ["variant_1"], "holder": "cart_1"}


@pytest.mark.parametrize("statement", [statements.LEVELS_TO_RESERVE, statements.AVAILABLE])
async def test_inventory_statement_reads_only_the_requested_stock_levels(
    postgresql_url: str, statement: Select[object]
) -> None:
    database = Database(postgresql_url)
    async with database.read() as session:
        await session.execute(text("SET enable_seqscan = off"))
        compiled = statement.params(**PARAMS).compile(
            session.get_bind(), compile_kwargs={"literal_binds": True, "render_postcompile": True}
        )
        plan = (await session.execute(text(f"EXPLAIN (FORMAT JSON) {compiled}"))).scalar_one()
    await database.close()
    assert '"Seq Scan"' not in json.dumps(plan)
    assert "hashed SubPlan" not in json.dumps(plan)  # this statement filters every row of the table
