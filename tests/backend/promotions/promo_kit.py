"""Promotions for tests."""

from typing import Any

import httpx

from backend.promotions.models import Promotion
from tests.store_steps import post


async def promotion(
    admin: httpx.AsyncClient, code: str = "DIEZ", value: int = 10, **more: Any
) -> dict[str, Any]:
    """Create an active promotion by the Admin API: 10 % off the order by default.

    `more` has further fields of the promotion. Its `method` has fields of the application method.
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


def free_shipping(*rules: Any) -> Promotion:
    """Return an automatic promotion that makes shipping free if the cart meets the rules."""
    return Promotion(
        code="ENVIO",
        code_key="envio",
        status="active",
        is_automatic=True,
        method_type="percentage",
        target_type="shipping_methods",
        allocation="across",
        value=100,
        rules=list(rules),
    )
