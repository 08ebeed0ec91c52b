"""Promotions for tests, created by the Admin API."""

from typing import Any

import httpx

from tests.store_steps import post


async def promotion(
    admin: httpx.AsyncClient, code: str = "DIEZ", value: int = 10, **more: Any
) -> dict[str, Any]:
    """Create an active promotion: 10 % off the order by default.

    `more` changes its fields, `method` those of its method.
    """
    method = {"type": "percentage", "target_type": "order", "allocation": "across", **more.pop("method", {})}
    body = {
        "code": code,
        "type": "standard",
        "status": "active",
        "application_method": {**method, "value": value},
    }
    made: dict[str, Any] = (await post(admin, "/admin/promotions", {**body, **more}))["promotion"]
    return made


def minimum(pesos: int) -> dict[str, Any]:
    return {"attribute": "item_total", "operator": "gte", "values": [str(pesos)]}


def only(attribute: str, *values: str, operator: str = "in") -> dict[str, Any]:
    return {"attribute": attribute, "operator": operator, "values": list(values)}
