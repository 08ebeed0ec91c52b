"""`POST /api/revalidate` requires the secret (spec: Storefront routes)."""

from collections.abc import AsyncIterator, Collection
from typing import Any

import httpx
import pytest

from backend.app import Shop, create_api
from backend.core.errors import OutsideFailure
from backend.core.ids import new_id
from backend.outbox.models import OutboxEvent
from backend.outbox.publisher import MAX_EVENTS, request_body
from storefront.live import revalidation

HEADER = "x-revalidate-secret"
CHANGES = {
    "events": [
        {"id": 1, "product_id": "prod_a"},
        {"id": 2, "product_id": "prod_b"},
        {"id": 3, "product_id": "prod_a"},
    ]
}


class RecordingPubSub:
    """A pub/sub that only records published changes. If `failure` is set, `publish` raises it."""

    def __init__(self) -> None:
        self.products: list[set[str]] = []
        self.failure: Exception | None = None

    async def publish(self, product_ids: Collection[str]) -> None:
        if self.failure:
            raise self.failure
        self.products.append(set(product_ids))


@pytest.fixture
def pubsub(monkeypatch: pytest.MonkeyPatch) -> RecordingPubSub:
    pubsub = RecordingPubSub()
    monkeypatch.setattr(revalidation.live, "pubsub", pubsub)
    return pubsub


@pytest.fixture
async def client(shop: Shop) -> AsyncIterator[httpx.AsyncClient]:
    api = create_api(shop)
    api.include_router(revalidation.router)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://shop") as client:
        yield client


async def test_changes_sent_to_revalidation_are_published_and_counted(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    secret = shop.settings.revalidation_secret
    answer = await client.post("/api/revalidate", json=CHANGES, headers={HEADER: secret})
    assert (answer.status_code, answer.json()) == (200, {"revalidated": 2})
    assert pubsub.products == [{"prod_a", "prod_b"}]


@pytest.mark.parametrize("secret", [None, "", "wrong", "ñandú", "x" * 10_000])
async def test_revalidation_request_without_the_secret_returns_401(
    client: httpx.AsyncClient, pubsub: RecordingPubSub, secret: str | None
) -> None:
    headers = httpx.Headers({} if secret is None else {HEADER: secret}, encoding="utf-8")
    for body in ('{"events": []}', "", "not json", "[" * 5000):
        answer = await client.post("/api/revalidate", content=body, headers=headers)
        assert answer.status_code == 401
        assert answer.json() == {"type": "unauthorized", "message": "Unauthorized"}
    assert pubsub.products == []


async def test_nearly_correct_revalidation_secret_is_refused(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    secret = shop.settings.revalidation_secret
    for other in (secret[:-1], secret + "x", secret.swapcase(), f"{secret},{secret}"):
        answer = await client.post("/api/revalidate", json=CHANGES, headers={HEADER: other})
        assert answer.status_code == 401
    assert pubsub.products == []


async def test_revalidation_body_without_products_is_refused(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    headers = {HEADER: shop.settings.revalidation_secret}
    nonsense: list[Any] = [
        None, [], {}, {"events": {}}, {"events": ["prod_a"]}, {"events": [{}]}, {"events": [{"product_id": 5}]},
        {"events": [{"product_id": ""}]}, {"events": [{"product_id": "x" * 65}]},
    ]  # fmt: skip
    for body in nonsense:
        answer = await client.post("/api/revalidate", json=body, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (400, "invalid_data"), body
    assert pubsub.products == []


async def test_largest_possible_delivery_of_changes_is_accepted(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    events = [OutboxEvent(id=10**12 + number, product_id=new_id("prod")) for number in range(MAX_EVENTS)]
    headers = {HEADER: shop.settings.revalidation_secret}
    answer = await client.post("/api/revalidate", json=request_body(events), headers=headers)
    assert answer.json() == {"revalidated": MAX_EVENTS}


async def test_request_body_over_the_size_limit_is_not_read(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    headers = {HEADER: shop.settings.revalidation_secret}
    answer = await client.post("/api/revalidate", content=b" " * 200_000, headers=headers)
    assert answer.status_code == 413
    assert pubsub.products == []


async def test_failed_publication_of_changes_returns_an_error(
    client: httpx.AsyncClient, shop: Shop, pubsub: RecordingPubSub
) -> None:
    pubsub.failure = OutsideFailure("The other replicas cannot be told: Redis does not answer")
    headers = {HEADER: shop.settings.revalidation_secret}
    answer = await client.post("/api/revalidate", json=CHANGES, headers=headers)
    assert answer.status_code == 502


async def test_only_post_requests_to_revalidation_are_allowed(client: httpx.AsyncClient, shop: Shop) -> None:
    headers = {HEADER: shop.settings.revalidation_secret}
    assert (await client.get("/api/revalidate", headers=headers)).status_code in {404, 405}
