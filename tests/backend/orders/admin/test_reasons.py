"""Reasons for refunds and returns over the Admin API, on both databases."""

from typing import Any

import httpx
import pytest

from tests.store_steps import get, post


@pytest.mark.parametrize(
    ("path", "key"), [("/admin/refund-reasons", "code"), ("/admin/return-reasons", "value")]
)
async def test_refund_or_return_reason_is_created_found_changed_and_deleted(
    admin: httpx.AsyncClient, path: str, key: str
) -> None:
    one = path.removeprefix("/admin/").removesuffix("s").replace("-", "_")
    late: dict[str, Any] = (await post(admin, path, {key: "late", "label": "Llegó tarde"}))[one]
    said = {key: "broken", "label": "Llegó roto", "description": "El juguete", "metadata": {"a": 1}}
    broken = (await post(admin, path, said))[one]
    assert {**broken, **said} == broken
    listing = await get(admin, path)
    assert (listing[f"{one}s"], listing["count"]) == ([broken, late], 2)
    for asked in ({key: "late"}, {"q": "tarde"}, {"label": "Llegó tarde"}, {"id": late["id"]}):
        assert (await get(admin, path, **asked))[f"{one}s"] == [late]
    changed = (await post(admin, f"{path}/{broken['id']}", {"description": None, "label": None}))[one]
    assert (changed["label"], changed["description"], changed["metadata"]) == ("Llegó roto", None, {"a": 1})
    taken = await admin.post(f"{path}/{late['id']}", json={key: "broken"})
    assert (taken.status_code, f"with {key}: broken, already exists." in taken.text) == (400, True)
    gone = await admin.delete(f"{path}/{late['id']}")
    assert gone.json() == {"id": late["id"], "object": one, "deleted": True}
    assert (await admin.get(f"{path}/{late['id']}")).status_code == 404
