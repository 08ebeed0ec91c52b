"""Promotions and campaigns over the Admin API: values are stored as sent, and invalid ones are refused."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Variant
from tests.backend.promotions.promo_kit import minimum, only, promotion
from tests.store_defaults import Defaults, add_product, read_product_id
from tests.store_steps import get, post, read_ok

CAMPAIGN = {
    "name": "Navidad",
    "campaign_identifier": "NAVIDAD",
    "starts_at": "2026-12-01T05:00:00.000Z",
    "ends_at": "2027-01-01T05:00:00.000Z",
    "budget": {"type": "use_by_attribute", "attribute": "customer_email", "limit": 1},
}


async def test_promotion_is_returned_as_sent(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    product = await read_product_id(shop.database, variant)
    made = await promotion(
        admin,
        " Navidad 10 ",
        5_000,
        method={
            "type": "fixed", "target_type": "items", "allocation": "each", "max_quantity": 2, "currency_code": "cop",
            "description": "Cinco mil menos", "target_rules": [only("items.product.id", product)],
        },
        rules=[minimum(100_000)],
        campaign=CAMPAIGN,
        limit=3,
        metadata={"from": "test"},
        is_tax_inclusive=False,
    )  # fmt: skip
    shown = (await get(admin, f"/admin/promotions/{made['id']}"))["promotion"]
    assert shown == made
    assert (shown["code"], shown["type"], shown["status"], shown["limit"]) == (
        "Navidad 10",
        "standard",
        "active",
        3,
    )
    assert (shown["is_automatic"], shown["is_tax_inclusive"], shown["used"]) == (False, True, 0)
    assert shown["metadata"] == {"from": "test"}
    method = shown["application_method"]
    assert {name: method[name] for name in ("type", "value", "currency_code", "target_type", "allocation")} == {
        "type": "fixed", "value": 5_000, "currency_code": "cop", "target_type": "items", "allocation": "each",
    }  # fmt: skip
    assert (method["max_quantity"], method["description"]) == (2, "Cinco mil menos")
    (rule,), (target,) = shown["rules"], method["target_rules"]
    assert (rule["attribute"], rule["operator"], rule["values"][0]["value"]) == (
        "item_total",
        "gte",
        "100000",
    )
    assert (target["attribute"], target["values"][0]["value"]) == ("items.product.id", product)
    campaign = shown["campaign"]
    assert {name: campaign[name] for name in ("name", "campaign_identifier", "starts_at", "ends_at")} == {
        name: CAMPAIGN[name] for name in ("name", "campaign_identifier", "starts_at", "ends_at")
    }
    assert (campaign["budget"]["type"], campaign["budget"]["limit"]) == ("use_by_attribute", 1)
    by_code = (await get(admin, "/admin/promotions/navidad10", fields="id,code"))["promotion"]
    assert by_code == {"id": made["id"], "code": "Navidad 10"}


async def test_single_fields_of_a_promotion_are_changed_and_it_is_deleted(
    admin: httpx.AsyncClient, shop: Shop
) -> None:
    made = await promotion(admin, "DIEZ", rules=[minimum(1)])
    path = f"/admin/promotions/{made['id']}"
    change = {"code": "QUINCE", "limit": 9, "application_method": {"value": 15, "max_quantity": None}}
    changed = (await post(admin, path, change))["promotion"]
    assert (changed["code"], changed["limit"], changed["application_method"]["value"]) == ("QUINCE", 9, 15)
    assert changed["application_method"]["type"] == "percentage"
    ended = (await post(admin, path, {"status": "inactive", "limit": None, "is_automatic": True}))[
        "promotion"
    ]
    assert (ended["status"], ended["limit"], ended["is_automatic"]) == ("inactive", None, True)
    (rule,) = made["rules"]
    batch = {"create": [only("region.id", "reg_1")], "update": [{"id": rule["id"], "values": ["70000"]}]}
    answer = await post(admin, f"{path}/rules/batch", batch)
    assert [len(answer[name]) for name in ("created", "updated")] == [1, 1]
    listed = (await get(admin, f"{path}/rules"))["rules"]
    assert [(one["attribute"], one["values"][0]["value"]) for one in listed] == [
        ("item_total", "70000"), ("region.id", "reg_1"),
    ]  # fmt: skip
    gone = await post(admin, f"{path}/rules/batch", {"delete": [rule["id"], "prorul_none"]})
    assert gone["deleted"] == {"ids": [rule["id"]], "object": "promotion-rule", "deleted": True}
    assert [one["attribute"] for one in (await get(admin, path))["promotion"]["rules"]] == ["region.id"]
    deleted = await read_ok(await admin.delete(path))
    assert deleted == {"id": made["id"], "object": "promotion", "deleted": True}
    assert (await admin.get(path)).status_code == 404
    await promotion(admin, "quince")  # the code can be used again
    async with shop.database.read() as session:
        done = (await session.execute(select(AuditEntry.action, AuditEntry.subject_type))).all()
    assert [action for action, thing in done if thing == "promotion"] == [
        "created", *["changed"] * 4, "deleted", "created",
    ]  # fmt: skip


async def test_promotions_can_be_filtered(admin: httpx.AsyncClient) -> None:
    await promotion(admin, "NAVIDAD10", campaign=CAMPAIGN)
    await promotion(admin, "Feria", is_automatic=True)
    await promotion(admin, "VIEJA", status="inactive")
    for asked, codes in (
        ({}, ["VIEJA", "Feria", "NAVIDAD10"]),
        ({"q": "navi"}, ["NAVIDAD10"]),
        ({"code": "Feria"}, ["Feria"]),
        ({"is_automatic": "true"}, ["Feria"]),
        ({"status": "inactive"}, ["VIEJA"]),
        ({"order": "code", "limit": "1", "offset": "1"}, ["NAVIDAD10"]),
    ):
        found = await get(admin, "/admin/promotions", **asked)
        assert [one["code"] for one in found["promotions"]] == codes, asked
    campaign_id = (await get(admin, "/admin/promotions", q="navi"))["promotions"][0]["campaign_id"]
    assert (await get(admin, "/admin/promotions", campaign_id=campaign_id))["count"] == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"code": "diez"}, "already exists"),
        ({"code": "   "}, "needs a code"),
        ({"application_method": {"value": 101}}, "at most 100"),
        ({"application_method": {"value": 0}}, "value"),
        ({"application_method": {"value": 12.5}}, "value"),
        ({"application_method": {"allocation": "once"}}, "max_quantity is required"),
        ({"application_method": {"currency_code": "usd"}}, "pesos"),
        (
            {"application_method": {"target_rules": [only("items.product.id", "prod_1")]}},
            "for target_type `items`",
        ),
        (
            {
                "application_method": {
                    "target_type": "items",
                    "target_rules": [only("items.product.id", "prod_1")],
                }
            },
            "There is no items.product.id prod_1",
        ),
        ({"rules": [only("items.product.id", "prod_1")]}, "Invalid rule attribute"),
        ({"type": "other"}, "type"),
        ({"type": "buyget"}, "Buy rules are required for buyget promotion type"),
        ({"combination": "some"}, "combination"),
        ({"application_method": {"apply_to_quantity": 0}}, "apply_to_quantity"),
        (
            {"application_method": {"buy_rules": [only("items.product.id", "prod_1")]}},
            "for promotions of the type buyget only",
        ),
        (
            {
                "type": "buyget",
                "application_method": {"buy_rules": [only("items.product.id", "prod_1")]},
            },
            "Target rules are required for buyget promotion type",
        ),
        ({"campaign_id": "procamp_1", "campaign": CAMPAIGN}, "both cannot be used"),
        ({"campaign": {**CAMPAIGN, "ends_at": "2026-11-01T00:00:00Z"}}, "ends after it starts"),
        ({"color": "red"}, "color"),
    ],
)
async def test_invalid_promotion_is_refused(
    admin: httpx.AsyncClient, body: dict[str, Any], words: str
) -> None:
    await promotion(admin, "DIEZ")
    method = {"type": "percentage", "target_type": "order", "value": 10, **body.get("application_method", {})}
    whole = {"code": "OTRA", "type": "standard", **body, "application_method": method}
    answer = await admin.post("/admin/promotions", json=whole)
    assert answer.status_code == 400
    assert words in answer.json()["message"]
    assert (await get(admin, "/admin/promotions"))["count"] == 1


async def test_campaign_is_created_linked_changed_and_deleted(admin: httpx.AsyncClient) -> None:
    campaign = (await post(admin, "/admin/campaigns", CAMPAIGN))["campaign"]
    path = f"/admin/campaigns/{campaign['id']}"
    one, other = await promotion(admin, "UNO"), await promotion(admin, "DOS", campaign_id=campaign["id"])
    assert other["campaign"] == campaign
    await post(admin, f"{path}/promotions", {"add": [one["id"]], "remove": [other["id"]]})
    joined = await get(admin, "/admin/promotions", campaign_id=campaign["id"])
    assert [promo["code"] for promo in joined["promotions"]] == ["UNO"]
    change = {"ends_at": None, "name": "Fin de año", "budget": {"type": "spend", "limit": 90_000}}
    changed = (await post(admin, path, change))["campaign"]
    assert (changed["ends_at"], changed["name"], changed["starts_at"]) == (
        None,
        "Fin de año",
        CAMPAIGN["starts_at"],
    )
    budget = {
        name: changed["budget"][name] for name in ("type", "limit", "used", "currency_code", "attribute")
    }
    assert budget == {"type": "spend", "limit": 90_000, "used": 0, "currency_code": "cop", "attribute": None}
    assert [found["id"] for found in (await get(admin, "/admin/campaigns", q="fin"))["campaigns"]] == [
        campaign["id"]
    ]
    refused = await admin.delete(path)
    assert (refused.status_code, "UNO" in refused.json()["message"]) == (400, True)
    await post(admin, f"/admin/promotions/{one['id']}", {"campaign_id": None})
    assert (await read_ok(await admin.delete(path)))["object"] == "campaign"
    assert (await admin.get(path)).status_code == 404
    await post(admin, "/admin/campaigns", CAMPAIGN)  # its identifier can be used again
    taken = await admin.post("/admin/campaigns", json=CAMPAIGN)
    assert (taken.status_code, taken.json()["message"]) == (
        400, "Campaign with identifier: NAVIDAD, already exists.",
    )  # fmt: skip


async def test_rule_attributes_and_values_are_listed(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        variant = await add_product(session, shop_defaults, "trompo")
    product = await read_product_id(shop.database, variant)
    options = "/admin/promotions/rule-attribute-options"
    cart = (await get(admin, f"{options}/rules", promotion_type="standard"))["attributes"]
    assert "item_total" in {one["value"] for one in cart}
    targets = (await get(admin, f"{options}/target-rules"))["attributes"]
    assert {one["id"]: one["value"] for one in targets}["product"] == "items.product.id"
    assert (await admin.get(f"{options}/other")).status_code == 400
    values = "/admin/promotions/rule-value-options"
    found = await get(admin, f"{values}/target-rules/product", q="tromp")
    assert (found["values"], found["count"]) == ([{"value": product, "label": "Trompo"}], 1)
    assert (await get(admin, f"{values}/rules/country"))["values"] == [{"value": "co", "label": "Colombia"}]
    assert (await admin.get(f"{values}/rules/product")).status_code == 400
    made = await promotion(
        admin, method={"target_type": "items", "target_rules": [only("items.product.id", product)]}
    )
    (rule,) = (await get(admin, f"/admin/promotions/{made['id']}/target-rules"))["rules"]
    assert rule["values"] == [{"value": product, "label": "Trompo"}]
    other = {"create": [only("items.product.categories.id", "pcat_none")]}
    assert (
        await admin.post(f"/admin/promotions/{made['id']}/target-rules/batch", json=other)
    ).status_code == 400


async def test_metadata_of_a_promotion_changes_only_if_sent(admin: httpx.AsyncClient) -> None:
    made = await promotion(admin, metadata={"from": "test"})
    path = f"/admin/promotions/{made['id']}"
    for body, stored in (
        ({"limit": 3}, {"from": "test"}),
        ({"metadata": {"from": "here"}}, {"from": "here"}),
        ({"metadata": None}, {}),
    ):
        changed = (await post(admin, path, body))["promotion"]
        assert (changed["metadata"] or {}) == stored


async def test_rule_attributes_are_listed_as_not_required(admin: httpx.AsyncClient) -> None:
    for kind in ("rules", "target-rules"):
        found = await get(admin, f"/admin/promotions/rule-attribute-options/{kind}")
        assert {one["required"] for one in found["attributes"]} == {False}


async def test_buyget_promotion_is_returned_as_sent_and_changed(
    admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults
) -> None:
    async with shop.database.transaction() as session:
        product = (
            await session.get_one(Variant, await add_product(session, shop_defaults, "trompo"))
        ).product_id
        gift = (await session.get_one(Variant, await add_product(session, shop_defaults, "yoyo"))).product_id
    bought, discounted = only("items.product.id", product), only("items.product.id", gift)
    method = {
        "target_type": "items", "allocation": "each", "max_quantity": 4, "buy_rules_min_quantity": 2,
        "apply_to_quantity": 1, "buy_rules": [bought], "target_rules": [discounted],
    }  # fmt: skip
    made = await promotion(admin, "REGALO", 100, type="buyget", combination="codes", method=method)
    path = f"/admin/promotions/{made['id']}"
    shown = (await get(admin, path))["promotion"]
    assert shown == made
    assert (shown["type"], shown["combination"]) == ("buyget", "codes")
    stored = shown["application_method"]
    assert {name: stored[name] for name in method if not name.endswith("_rules")} == {
        name: value for name, value in method.items() if not name.endswith("_rules")
    }
    assert [rule["values"][0]["value"] for rule in (*stored["buy_rules"], *stored["target_rules"])] == [
        product, gift,
    ]  # fmt: skip
    for kind, name, quantity in (
        ("buy-rules", "buy_rules_min_quantity", 2),
        ("target-rules", "apply_to_quantity", 1),
    ):
        listed = (await get(admin, f"{path}/{kind}"))["rules"]
        assert [(rule["attribute"], rule["values"]) for rule in listed[1:]] == [(name, quantity)]
        assert listed[0]["values"][0]["label"] in {"Trompo", "Yoyo"}
        options = f"/admin/promotions/rule-attribute-options/{kind}"
        attributes = (await get(admin, options, promotion_type="buyget"))["attributes"]
        assert [one["id"] for one in attributes if one["required"]] == [name]
    change = {"application_method": {"apply_to_quantity": 2, "max_quantity": None}, "combination": "none"}
    changed = (await post(admin, path, change))["promotion"]
    assert (changed["application_method"]["apply_to_quantity"], changed["combination"]) == (2, "none")
    batch = {"create": [discounted], "delete": [stored["buy_rules"][0]["id"]]}
    answer = await post(admin, f"{path}/buy-rules/batch", batch)
    assert len(answer["created"]) == len(answer["deleted"]["ids"]) == 1
    refused = await admin.post(path, json={"application_method": {"apply_to_quantity": None}})
    assert "apply_to_quantity is a required field" in refused.json()["message"]
    refused = await admin.post(path, json={"application_method": {"target_type": "order"}})
    assert refused.status_code == 400
    standard = (await post(admin, path, {"type": "standard"}))["promotion"]
    assert standard["application_method"]["buy_rules"] == []
    refused = await admin.post(path, json={"type": "buyget"})
    assert "apply_to_quantity is a required field" in refused.json()["message"]
    refused = await admin.post(f"{path}/buy-rules/batch", json={"create": [bought]})
    assert "of the type buyget only" in refused.json()["message"]
