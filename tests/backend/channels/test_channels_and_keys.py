"""Sales channels and keys over the Admin API, on both databases.

| fault | outcome |
|---|---|
| a channel with keys, the only one, or one with carts or orders is deleted | refused with the reason |
| two requests delete the only two channels, or revoke the only two keys | the second is refused |
| a key is revoked, or linked to another channel | effective at once, on every replica |
| a secret key is revoked in an hour | valid until then; the time can be brought forward, not postponed |
| a key is deleted that is not revoked | refused |
| a key is linked to two channels, or to none | refused |
| a secret key is read again | its token is not shown again |
| a secret key is wrong, malformed, revoked, or its creator was deleted | 401 |
| a secret key creates another secret key, or needs the second factor | refused |
"""

import asyncio
import base64
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from backend.app import Shop, create_api
from backend.channels.models import PublishableKey
from backend.core.db.database import db_now
from backend.shipping.models import LocationSalesChannel
from backend.staff.models import SecretKey, Staff
from backend.staff.rights import Actor, Right, Role
from backend.staff.secret_keys import create_secret_key, parse_key
from tests.backend.conftest import SHOPPER
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

CHANNELS, KEYS = "/admin/sales-channels", "/admin/api-keys"


async def create_channel(admin: httpx.AsyncClient, name: str = "Feria") -> str:
    return str((await post(admin, CHANNELS, {"name": name}))["sales_channel"]["id"])


async def create_key(admin: httpx.AsyncClient, kind: str = "publishable", **said: Any) -> dict[str, Any]:
    key: dict[str, Any] = (await post(admin, KEYS, {"title": "Feria", "type": kind, **said}))["api_key"]
    return key


def basic_auth(token: str) -> dict[str, str]:
    return {"authorization": f"Basic {base64.b64encode(f'{token}:'.encode()).decode()}"}


def check_refused(answer: httpx.Response, status: int = 400) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["message"])


async def test_channel_is_created_changed_and_deleted(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    said = {"name": "Feria", "description": "Corferias", "metadata": {"stand": "12"}}
    made = (await post(admin, CHANNELS, said))["sales_channel"]
    assert {**made, **said, "is_disabled": False} == made
    path = f"{CHANNELS}/{made['id']}"
    changed = (await post(admin, path, {"description": None, "name": "Feria 2"}))["sales_channel"]
    assert (changed["name"], changed["description"], changed["metadata"]) == (
        "Feria 2",
        None,
        {"stand": "12"},
    )
    assert (await get(admin, path))["sales_channel"] == changed
    found = await get(admin, CHANNELS, q="feria")
    assert [one["id"] for one in found["sales_channels"]] == [made["id"]]
    assert (await get(admin, CHANNELS, id=shop_defaults.channel_id))["count"] == 1
    deleted = await admin.delete(path)
    assert deleted.json() == {"id": made["id"], "object": "sales-channel", "deleted": True}
    assert "was not found" in check_refused(await admin.get(path), 404)
    assert "was not found" in check_refused(await admin.delete(path), 404)


async def test_channel_in_use_cannot_be_deleted(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    path = f"{CHANNELS}/{shop_defaults.channel_id}"
    assert "last sales channel" in check_refused(await admin.delete(path))
    other = await create_channel(admin)
    assert "Storefront" in check_refused(await admin.delete(path))  # the title of its key
    (key,) = (await get(admin, KEYS))["api_keys"]
    await post(store, "/store/carts", {})
    await post(admin, f"{KEYS}/{key['id']}/sales-channels", {"add": [other]})
    assert "Carts or orders" in check_refused(await admin.delete(path))
    assert (await get(admin, CHANNELS))["count"] == 2


async def test_deleting_a_channel_removes_its_links_to_locations(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    other = await create_channel(admin)
    await post(admin, f"/admin/stock-locations/{shop_defaults.location_id}/sales-channels", {"add": [other]})
    assert (await admin.delete(f"{CHANNELS}/{other}")).status_code == 200
    async with shop.database.read() as session:
        links = (await session.execute(select(LocationSalesChannel.sales_channel_id))).scalars().all()
    assert links == [shop_defaults.channel_id]


async def test_last_channel_stays_if_the_last_two_are_deleted_concurrently(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    first, second = await create_channel(admin, "Uno"), await create_channel(admin, "Dos")
    (key,) = (await get(admin, KEYS))["api_keys"]
    await post(admin, f"{KEYS}/{key['id']}/sales-channels", {"add": [first]})
    assert (await admin.delete(f"{CHANNELS}/{shop_defaults.channel_id}")).status_code == 200
    async with shop.database.transaction() as session:  # there is no key
        await session.delete(await session.get(PublishableKey, key["token"]))
    answers = await asyncio.gather(*(admin.delete(f"{CHANNELS}/{one}") for one in (first, second)))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert (await get(admin, CHANNELS))["count"] == 1
    assert "make one first" not in str((await create_key(admin))["sales_channels"])


async def test_publishable_key_works_until_it_is_revoked(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    key = await create_key(admin)
    assert key["token"].startswith("pk_")
    assert (key["type"], key["sales_channels"][0]["id"]) == ("publishable", shop_defaults.channel_id)
    assert key["created_by"].startswith("user_")
    headers = {"x-publishable-api-key": key["token"]}
    another_replica = httpx.AsyncClient(
        transport=httpx.ASGITransport(create_api(shop), client=SHOPPER), base_url="http://shop.test"
    )
    async with another_replica as other:
        for client in (store, other):
            assert (await client.get("/store/regions", headers=headers)).status_code == 200
        path = f"{KEYS}/{key['id']}"
        assert "not revoked" in check_refused(await admin.delete(path))
        revoked = (await post(admin, f"{path}/revoke"))["api_key"]
        assert revoked["revoked_by"] == key["created_by"]
        for client in (store, other):
            assert "valid publishable key" in check_refused(
                await client.get("/store/regions", headers=headers)
            )
    assert (await post(admin, f"{path}/revoke"))["api_key"] == revoked  # revoking again changes nothing
    assert (await admin.delete(path)).json() == {"id": key["id"], "object": "api_key", "deleted": True}
    assert "was not found" in check_refused(await admin.get(path), 404)


async def test_secret_key_works_until_its_revocation_time(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    public, key = await create_key(admin), await create_key(admin, "secret")
    path, headers = f"{KEYS}/{key['id']}", basic_auth(key["token"])
    at_once = await admin.post(f"{KEYS}/{public['id']}/revoke", json={"revoke_in": 3600})
    assert "revoked immediately" in check_refused(at_once)
    for body in ({"revoke_in": -1}, {"revoke_in": "soon"}, {"revoke_in": 10**9}):
        check_refused(await admin.post(f"{path}/revoke", json=body))
    revoked = (await post(admin, f"{path}/revoke", {"revoke_in": 3600}))["api_key"]
    assert revoked["revoked_at"] > revoked["created_at"]
    assert (await post(admin, f"{path}/revoke", {"revoke_in": 7200}))["api_key"] == revoked
    assert "not revoked" in check_refused(await admin.delete(path))
    assert (await anyone.get("/admin/products", headers=headers)).status_code == 200
    async with shop.database.transaction() as session:  # the hour is over
        await session.execute(update(SecretKey).values(revoked_at=db_now()))
    assert (await anyone.get("/admin/products", headers=headers)).status_code == 401
    assert (await admin.delete(path)).status_code == 200


async def test_key_with_a_planned_revocation_can_be_revoked_immediately(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    key = await create_key(admin, "secret")
    path = f"{KEYS}/{key['id']}"
    for body in ({"revoke_in": 3600}, {}):
        await post(admin, f"{path}/revoke", body)
    assert (await anyone.get("/admin/products", headers=basic_auth(key["token"]))).status_code == 401
    assert (await admin.delete(path)).status_code == 200


async def test_last_publishable_key_cannot_be_revoked(
    admin: httpx.AsyncClient, shop_defaults: Defaults
) -> None:
    (key,) = (await get(admin, KEYS))["api_keys"]
    assert "last publishable key" in check_refused(await admin.post(f"{KEYS}/{key['id']}/revoke"))
    other = await create_key(admin)
    answers = await asyncio.gather(*(admin.post(f"{KEYS}/{one['id']}/revoke") for one in (key, other)))
    assert sorted(answer.status_code for answer in answers) == [200, 400]


async def test_publishable_key_belongs_to_exactly_one_sales_channel(
    admin: httpx.AsyncClient, store: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "trompo")
    key = await create_key(admin)
    other, path = await create_channel(admin), f"{KEYS}/{key['id']}/sales-channels"
    headers = {"x-publishable-api-key": key["token"]}

    async def channel_of_cart() -> str:
        answer = await store.post("/store/carts", json={}, headers=headers)
        return str(answer.json()["cart"]["sales_channel_id"])

    assert await channel_of_cart() == shop_defaults.channel_id
    named = (await post(admin, path, {"add": [other]}))["api_key"]
    assert [one["id"] for one in named["sales_channels"]] == [other]
    assert await channel_of_cart() == other
    assert "add one" in check_refused(await admin.post(path, json={"add": [other, shop_defaults.channel_id]}))
    assert "add another one" in check_refused(await admin.post(path, json={"remove": [other]}))
    assert "was not found" in check_refused(await admin.post(path, json={"add": ["sc_nosuch"]}), 404)
    assert (await post(admin, path, {"remove": [shop_defaults.channel_id]}))["api_key"]["sales_channels"] == (
        named["sales_channels"]
    )
    await post(admin, f"{KEYS}/{key['id']}/revoke")
    assert "revoked" in check_refused(await admin.post(path, json={"add": [other]}))


async def test_key_is_renamed_and_found_by_its_title(admin: httpx.AsyncClient) -> None:
    key, secret = await create_key(admin), await create_key(admin, "secret")
    for one in (key, secret):
        changed = (await post(admin, f"{KEYS}/{one['id']}", {"title": f"Para {one['type']}"}))["api_key"]
        assert changed["title"] == f"Para {one['type']}"
    found = await get(admin, KEYS, q="para SECRET")
    assert [one["id"] for one in found["api_keys"]] == [secret["id"]]
    assert (await get(admin, KEYS, type="publishable"))["count"] == 2
    assert (await get(admin, KEYS, id=key["id"]))["api_keys"][0]["title"] == "Para publishable"
    assert (await get(admin, KEYS, limit=1, offset=2))["api_keys"][0]["id"] == secret["id"]
    for path in (f"{KEYS}/apk_nosuch", f"{KEYS}/%25", f"{KEYS}/apk_"):
        assert "was not found" in check_refused(await admin.get(path), 404)


async def test_secret_key_is_shown_once_and_has_the_rights_of_its_role(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop
) -> None:
    key = await create_key(admin, "secret", role="stockroom")
    token = key["token"]
    assert (token.startswith("sk_"), len(token), key["role"]) == (True, 67, "stockroom")
    assert token not in (await admin.get(KEYS)).text
    assert token not in (await admin.get(f"{KEYS}/{key['id']}")).text
    assert token not in (await admin.get("/admin/audit")).text
    async with shop.database.read() as session:
        stored = (await session.execute(select(SecretKey))).scalar_one()
        assert token not in stored.model_dump_json()
    for headers in (basic_auth(token), {"authorization": f"Basic {token}"}):
        assert (await anyone.get("/admin/products", headers=headers)).status_code == 200
    assert (
        await anyone.get("/admin/products", headers={"authorization": f"Bearer {token}"})
    ).status_code == 401
    assert "may not" in check_refused(
        await anyone.post(CHANNELS, json={"name": "X"}, headers=basic_auth(token)), 403
    )
    assert (await get(admin, f"{KEYS}/{key['id']}"))["api_key"]["last_used_at"] is not None
    await post(admin, f"{KEYS}/{key['id']}/revoke")
    assert (
        check_refused(await anyone.get("/admin/products", headers=basic_auth(token)), 401) == "Unauthorized"
    )
    assert (await create_key(admin, "secret"))["role"] == "shop"


async def test_actions_of_a_secret_key_are_audited_with_its_title(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    token = (await create_key(admin, "secret", title="Contabilidad", role="owner"))["token"]
    answer = await anyone.post(CHANNELS, json={"name": "Feria"}, headers=basic_auth(token))
    assert answer.status_code == 200
    entries = (await get(admin, "/admin/audit"))["audit"]
    assert "Contabilidad" in str(entries[0])


async def test_secret_key_cannot_create_keys_or_pass_the_second_factor(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    headers = basic_auth((await create_key(admin, "secret", role="owner"))["token"])
    again = await anyone.post(KEYS, json={"title": "X", "type": "secret", "role": "owner"}, headers=headers)
    assert "member of staff" in check_refused(again)
    assert "second factor" in check_refused(await anyone.get("/admin/order-exports", headers=headers), 403)
    assert (await anyone.get("/admin/users/me", headers=headers)).status_code in (403, 404)


@pytest.mark.parametrize(
    "change", [{"role": Role.SHOP}, {"disabled_at": True}], ids=["is no owner now", "is disabled"]
)
async def test_secret_key_of_a_deleted_creator_is_refused(
    admin: httpx.AsyncClient, anyone: httpx.AsyncClient, shop: Shop, change: dict[str, Any]
) -> None:
    async with shop.database.transaction() as session:
        maker = Staff(email="luz@trompo.example", password_hash="never used", role="owner")
        session.add(maker)
        await session.flush()
        _key, token = await create_secret_key(session, Actor(maker.id, Role.OWNER), "Feria", Role.SHOP)
    assert (await anyone.get("/admin/products", headers=basic_auth(token))).status_code == 200
    values = {name: maker.created_at if value is True else value for name, value in change.items()}
    async with shop.database.transaction() as session:
        await session.execute(update(Staff).where(Staff.id == maker.id).values(**values))
    assert (await anyone.get("/admin/products", headers=basic_auth(token))).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        "Basic",
        "Basic ",
        "Basic sk_",
        "Basic !!!",
        "Basic /////w==",
        "Basic c2s=",
        f"Basic {base64.b64encode(b'pk_1:').decode()}",
        f"Basic {base64.b64encode(b'sk_0000:x').decode()}",
        "Basic sk_" + "0" * 10_000,
        "Digest sk_1",
    ],
)
async def test_invalid_secret_key_is_refused(
    anyone: httpx.AsyncClient, shop_defaults: Defaults, header: str
) -> None:
    answer = await anyone.get("/admin/products", headers={"authorization": header})
    assert check_refused(answer, 401) == "Unauthorized"


def test_secret_key_is_parsed_from_the_header() -> None:
    assert parse_key(basic_auth("sk_1")["authorization"]) == "sk_1"
    assert parse_key("basic sk_1") == "sk_1"
    assert parse_key("Bearer sk_1") == ""
    assert parse_key("") == ""


async def test_invalid_bodies_of_key_requests_are_refused(admin: httpx.AsyncClient) -> None:
    key = await create_key(admin, "secret")
    for path, body in (
        (KEYS, {"title": "", "type": "secret"}),
        (KEYS, {"title": "X"}),
        (KEYS, {"title": "X", "type": "public"}),
        (KEYS, {"title": "X", "type": "publishable", "role": "shop"}),
        (KEYS, {"title": "X", "type": "secret", "role": "boss"}),
        (KEYS, {"title": "a\0b", "type": "secret"}),
        (CHANNELS, {"name": "X" * 300}),
        (CHANNELS, {"name": "X", "is_disabled": True}),
        (CHANNELS, {"name": None}),
        (f"{KEYS}/{key['id']}", {"title": None}),
        (f"{KEYS}/{key['id']}/sales-channels", {"add": ["sc_1"] * 2, "other": 1}),
    ):
        assert check_refused(await admin.post(path, json=body)), (path, body)
    answer = await admin.post(f"{KEYS}/{key['id']}/sales-channels", json={"remove": ["sc_1"]})
    assert "names no sales channel" in check_refused(answer)


async def test_only_roles_that_may_change_settings_may_change_api_keys(
    api: FastAPI, shop: Shop, shop_defaults: Defaults
) -> None:
    actor = Actor("user_1", Role.SHOP)
    assert not actor.may(Right.CHANGE_SETTINGS)
    with pytest.raises(Exception, match="may not change"):
        async with shop.database.transaction() as session:
            await create_secret_key(session, actor, "X", Role.SHOP)


async def test_filters_of_api_keys_are_combined(admin: httpx.AsyncClient) -> None:
    await post(admin, KEYS, {"title": "Contabilidad", "type": "secret"})
    await post(admin, KEYS, {"title": "Feria", "type": "publishable"})
    for asked, titles in (
        ({"$or[0][title]": "Feria", "$or[1][type]": "secret"}, {"Feria", "Contabilidad"}),
        ({"$or[0][title]": "Feria", "$or[1][type]": "secret", "q": "conta"}, {"Contabilidad"}),
        ({"$and[0][type]": "publishable", "$and[1][q]": "fer"}, {"Feria"}),
        ({"$and[0][type]": "publishable", "$and[1][type]": "secret"}, set()),
        ({"$or[0][$and][0][type]": "secret", "$or[0][$and][1][q]": "fer"}, set()),
    ):
        found = await get(admin, KEYS, **asked)
        assert {one["title"] for one in found["api_keys"]} == titles, asked
        assert found["count"] == len(titles)
