"""Redirect of browsers from `/admin`; programs use the Admin API there."""

import httpx
import pytest
from fastapi import FastAPI

from backend.app import Shop, create_api
from storefront.office import admin_redirect


@pytest.mark.parametrize(
    ("accept", "status"), [("text/html,*/*;q=0.8", 303), ("application/json", 404), ("*/*", 404)]
)
async def test_browser_that_opens_admin_is_redirected_to_the_office(
    shop: Shop, accept: str, status: int
) -> None:
    api: FastAPI = create_api(shop)
    api.include_router(admin_redirect.router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop.test") as client:
        answer = await client.get("/admin", headers={"accept": accept})
    assert answer.status_code == status
    assert answer.headers.get("location") == ("/oficina" if status == 303 else None)
