"""Customers and their groups for staff, over the Admin API, on both databases.

| fault | result |
|---|---|
| a customer and a guest have the same address | both are listed: a guest has not proved to be the customer |
| staff create a guest who exists, also concurrently | the second is refused, with the platform's message |
| a change contains another address | refused; the current address is accepted |
| the address book of an account, a guest, or an unknown id is requested | the book, an empty list, 404 |
| a group's name is taken, also concurrently | the second is refused |
| an unknown customer is added to a group | 404, and no customer is added |
| a customer is added twice, also concurrently | is a member once |
| a group is deleted | its customers are not deleted |
| the search text has special characters | they are plain text: `%` finds a `%` |
"""

import asyncio
from typing import Any

import httpx
import pytest

from backend.app import Shop
from backend.customers.groups import members_count
from backend.customers.guests import delete_guests
from backend.customers.models import Customer
from tests.store_steps import get, post

CUSTOMERS, GROUPS = "/admin/customers", "/admin/customer-groups"
LUZ = {
    "email": "Luz@Example.com",
    "first_name": "Luz",
    "last_name": "Peña",
    "company_name": "Luz 100%",
    "phone": "3009876543",
}


@pytest.fixture
async def ana(shop: Shop) -> str:
    """Create a customer with an account and return the id."""
    async with shop.database.transaction() as session:
        customer = Customer(email="ana@example.com", first_name="Ana", last_name="Gómez")
        session.add(customer)
    return customer.id


async def _guest(admin: httpx.AsyncClient, **said: Any) -> dict[str, Any]:
    made: dict[str, Any] = (await post(admin, CUSTOMERS, {**LUZ, **said}))["customer"]
    return made


async def _group(admin: httpx.AsyncClient, name: str = "Colegios") -> str:
    return str((await post(admin, GROUPS, {"name": name}))["customer_group"]["id"])


async def test_customers_and_guests_are_listed_newest_first(admin: httpx.AsyncClient, ana: str) -> None:
    luz = await _guest(admin)
    assert (luz["email"], luz["has_account"], luz["addresses"]) == ("luz@example.com", False, [])
    twin = await _guest(admin, email="ana@example.com", company_name=None, phone=None)
    everybody = await get(admin, CUSTOMERS)
    assert [one["id"] for one in everybody["customers"]] == [twin["id"], luz["id"], ana]
    assert (everybody["count"], everybody["offset"], everybody["limit"]) == (3, 0, 50)
    assert "addresses" not in everybody["customers"][0]

    async def find_ids(**asked: Any) -> list[str]:
        return [one["id"] for one in (await get(admin, CUSTOMERS, **asked))["customers"]]

    assert await find_ids(has_account="true") == [ana]
    assert await find_ids(has_account="false", order="email") == [twin["id"], luz["id"]]
    assert await find_ids(q="100%") == [luz["id"]]
    assert await find_ids(q="gomez ana") == await find_ids(q="GÓM") == [ana]
    assert await find_ids(q="gomez luz") == []
    assert await find_ids(q="pena") == [twin["id"], luz["id"]]
    assert await find_ids(q="luz@ex") == await find_ids(q="peña 100") == [luz["id"]]
    assert await find_ids(q="+57 300 987 6543") == await find_ids(q="300987") == [luz["id"]]
    either = {"$or[0][q]": "300987", "$or[1][q]": "gomez"}
    assert await find_ids(**either, order="created_at") == [ana, luz["id"]]
    assert await find_ids(q="_") == []
    assert await find_ids(email="ANA@example.com", order="created_at") == [ana, twin["id"]]
    assert await find_ids(**{"id[]": [ana, "cus_nosuch"]}) == [ana]
    assert await find_ids(limit=1, offset=1) == [luz["id"]]
    assert (await get(admin, f"{CUSTOMERS}/{ana}"))["customer"]["has_account"] is True
    assert (await admin.get(f"{CUSTOMERS}/cus_nosuch")).status_code == 404
    assert (await admin.get(CUSTOMERS, params={"order": "meta"})).status_code == 400


async def test_customer_fields_are_changed(admin: httpx.AsyncClient, ana: str) -> None:
    luz = (await _guest(admin))["id"]
    for customer_id, email in ((ana, "ana@example.com"), (luz, "luz@example.com")):
        path = f"{CUSTOMERS}/{customer_id}"
        said = {
            "email": email.upper(),
            "phone": "3101112233",
            "metadata": {"note": "Recoge"},
            "last_name": None,
        }
        changed = (await post(admin, path, said))["customer"]
        assert (changed["phone"], changed["metadata"], changed["last_name"]) == (
            "3101112233",
            {"note": "Recoge"},
            None,
        )
        assert (await get(admin, path))["customer"] == changed
        other = await admin.post(path, json={"email": "otra@example.com"})
        assert (other.status_code, other.json()["message"]) == (
            400,
            "The e-mail address of a customer cannot be changed",
        )


async def test_second_guest_with_the_same_email_is_refused(admin: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(admin.post(CUSTOMERS, json=LUZ) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 422, 422]
    refused = next(answer for answer in answers if answer.status_code == 422).json()
    assert refused["message"] == "Customer with email: luz@example.com, has_account: false already exists."
    assert (await get(admin, CUSTOMERS))["count"] == 1


async def test_addresses_of_a_customer_without_any_are_an_empty_list(
    admin: httpx.AsyncClient, ana: str
) -> None:
    luz = (await _guest(admin))["id"]
    for customer_id in (ana, luz):
        assert (await get(admin, f"{CUSTOMERS}/{customer_id}/addresses"))["addresses"] == []
        assert (await admin.get(f"{CUSTOMERS}/{customer_id}/addresses/cuaddr_nosuch")).status_code == 404
    assert (await admin.get(f"{CUSTOMERS}/cus_nosuch/addresses")).status_code == 404


async def test_staff_change_the_address_book_of_an_account(admin: httpx.AsyncClient, ana: str) -> None:
    path = f"{CUSTOMERS}/{ana}/addresses"
    said = {"address_name": "Casa", "address_1": "Calle 1", "city": "Cali", "first_name": "Ana"}
    (made,) = (await post(admin, path, said))["customer"]["addresses"]
    assert {**made, **said, "is_default_shipping": True} == made
    two = (await post(admin, path, {"address_1": "Calle 2", "is_default_shipping": True}))["customer"]
    assert [one["address_1"] for one in two["addresses"]] == ["Calle 2", "Calle 1"]
    changed = await post(admin, f"{path}/{made['id']}", {"city": "Palmira", "address_name": None})
    (first,) = [one for one in changed["customer"]["addresses"] if one["id"] == made["id"]]
    assert (first["address_1"], first["city"], first["address_name"]) == ("Calle 1", "Palmira", None)
    gone = await admin.delete(f"{path}/{made['id']}")
    assert gone.json() == {"id": made["id"], "object": "customer_address", "deleted": True}
    assert (await admin.delete(f"{path}/{made['id']}")).status_code == 404
    luz = (await _guest(admin))["id"]
    refused = await admin.post(f"{CUSTOMERS}/{luz}/addresses", json=said)
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        "A customer without an account has no address book",
    )
    assert (await admin.post(f"{CUSTOMERS}/cus_nosuch/addresses", json=said)).status_code == 404


async def test_customers_are_added_to_and_removed_from_groups(admin: httpx.AsyncClient, ana: str) -> None:
    luz = (await _guest(admin))["id"]
    schools, friends = await _group(admin), await _group(admin, "Amigos")
    members = f"{GROUPS}/{schools}/customers"
    answers = await asyncio.gather(*(admin.post(members, json={"add": [ana, luz, ana]}) for _ in range(3)))
    assert {answer.status_code for answer in answers} == {200}
    strangers = await admin.post(members, json={"add": ["cus_nosuch"], "remove": [ana]})
    assert strangers.status_code == 404
    inside = await get(admin, CUSTOMERS, groups=schools, order="email", fields="+groups")
    assert [(one["id"], [group["name"] for group in one["groups"]]) for one in inside["customers"]] == [
        (ana, ["Colegios"]),
        (luz, ["Colegios"]),
    ]
    path = f"{CUSTOMERS}/{ana}/customer-groups"
    moved = await post(admin, f"{path}?fields=*groups", {"add": [friends], "remove": [schools]})
    assert [group["id"] for group in moved["customer"]["groups"]] == [friends]
    assert (await admin.post(path, json={"add": ["cusgroup_nosuch"]})).status_code == 404

    assert (await admin.delete(f"{GROUPS}/{friends}")).json() == {
        "id": friends,
        "object": "customer_group",
        "deleted": True,
    }
    assert (await get(admin, f"{CUSTOMERS}/{ana}?fields=*groups"))["customer"]["groups"] == []
    assert (await admin.get(f"{GROUPS}/{friends}")).status_code == 404


async def test_customer_group_with_a_taken_name_is_refused(admin: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(admin.post(GROUPS, json={"name": "Colegios"}) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 422, 422]
    other = await _group(admin, "Amigos")
    taken = await admin.post(f"{GROUPS}/{other}", json={"name": "Colegios"})
    assert (taken.status_code, taken.json()["message"]) == (
        422,
        "Customer group with name: Colegios, already exists.",
    )
    changed = (await post(admin, f"{GROUPS}/{other}", {"metadata": {"since": 2020}}))["customer_group"]
    assert (changed["name"], changed["metadata"]) == ("Amigos", {"since": 2020})
    found = await get(admin, GROUPS, q="cole")
    assert ([group["name"] for group in found["customer_groups"]], found["count"]) == (["Colegios"], 1)


async def test_deleted_guest_is_removed_from_groups(admin: httpx.AsyncClient, shop: Shop) -> None:
    luz, group = (await _guest(admin))["id"], await _group(admin)
    await post(admin, f"{GROUPS}/{group}/customers", {"add": [luz]})
    async with shop.database.transaction() as session:
        await delete_guests(session, [luz])
        assert await members_count(session, group) == 0
