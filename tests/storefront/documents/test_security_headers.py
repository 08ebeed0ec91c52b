from pathlib import Path

import httpx
import pytest
from starlette.responses import Response

from backend.core.config.settings import Settings
from storefront.documents.security_headers import with_security_headers


@pytest.mark.parametrize(
    ("public_url", "expected"),
    [("https://trompo.example", "max-age=31536000"), ("http://trompo.example", None), ("", None)],
)
async def test_documents_of_an_https_shop_have_strict_transport_security(
    public_url: str, expected: str | None, tmp_path: Path
) -> None:
    app = with_security_headers(Response("hello"), Settings(data_dir=tmp_path, public_url=public_url))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop") as client:
        headers = (await client.get("/")).headers
    assert headers.get("strict-transport-security") == expected
    assert headers["x-content-type-options"] == "nosniff"
