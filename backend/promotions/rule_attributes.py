"""What the rules of promotions can compare, and with what: for programs that let people choose."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Collection, Product, Variant
from backend.channels.models import Region, SalesChannel
from backend.core.errors import InvalidData
from backend.customers.models import CustomerGroup
from backend.edge.query import mentions, page_of
from backend.promotions.answers import RuleAttribute, RuleValue
from backend.promotions.rules import AMOUNTS, CART_ATTRIBUTES, ITEM_TOTAL, TARGET_ATTRIBUTES, WORDS, Operator
from backend.promotions.schemas import RuleValueParameters

RULE_TYPES = {"rules": CART_ATTRIBUTES, "target-rules": TARGET_ATTRIBUTES, "buy-rules": {}}
LABELS = {
    "customer_group": "Customer Group",
    "region": "Region",
    "country": "Country",
    "sales_channel": "Sales Channel",
    "currency_code": "Currency Code",
    "item_total": "Item Total",
    "product": "Product",
    "product_category": "Product Category",
    "product_collection": "Product Collection",
    "product_variant": "Product Variant",
}
OPERATORS = {
    Operator.IN: "In",
    Operator.EQ: "Equals",
    Operator.NE: "Not In",
    Operator.GT: "Greater Than",
    Operator.GTE: "Greater Than or Equal",
    Operator.LT: "Less Than",
    Operator.LTE: "Less Than or Equal",
}
_NAMED: dict[str, tuple[Any, Any]] = {
    "customer_group": (CustomerGroup.id, CustomerGroup.name),
    "region": (Region.id, Region.name),
    "sales_channel": (SalesChannel.id, SalesChannel.name),
    "product": (Product.id, Product.title),
    "product_category": (Category.id, Category.name),
    "product_collection": (Collection.id, Collection.title),
    "product_variant": (Variant.id, Variant.title),
}
_WRITTEN = {"country": (("co", "Colombia"),), "currency_code": (("cop", "COP"),)}


def require_rule_type(rule_type: str) -> str:
    """The kind of rules.

    Raises:
        InvalidData: there is none of this name.
    """
    if rule_type not in RULE_TYPES:
        raise InvalidData(f"Invalid param rule_type ({rule_type})")
    return rule_type


def attributes_of(rule_type: str) -> list[RuleAttribute]:
    """What rules of this kind can compare.

    Raises:
        InvalidData: there is no such kind.
    """
    return [_attribute(name, value) for name, value in RULE_TYPES[require_rule_type(rule_type)].items()]


def _attribute(name: str, value: str) -> RuleAttribute:
    operators: Iterable[Operator] = AMOUNTS if value == ITEM_TOTAL else WORDS
    is_currency = name == "currency_code"
    attribute: RuleAttribute = {
        "id": name,
        "value": value,
        "label": LABELS[name],
        "required": False,
        "field_type": "number" if value == ITEM_TOTAL else "select" if is_currency else "multiselect",
        "operators": [{"id": one, "value": one, "label": OPERATORS[one]} for one in operators],
    }
    if is_currency:
        attribute |= {"disguised": True, "hydrate": True}
    return attribute


async def values_of_attribute(
    session: AsyncSession, rule_type: str, name: str, asked: RuleValueParameters
) -> tuple[list[RuleValue], int]:
    """What an attribute can be compared with: value and label, and how many there are.

    Raises:
        InvalidData: rules of this kind compare no such attribute.
    """
    if name not in RULE_TYPES[require_rule_type(rule_type)]:
        raise InvalidData(f"Invalid rule attribute - {name}")
    if name not in _NAMED:
        written: list[RuleValue] = [
            {"value": value, "label": label} for value, label in _WRITTEN.get(name, ())
        ]
        return list(page_of(written, asked)), len(written)
    value, label = _NAMED[name]
    conditions = mentions(asked.q, label)
    if asked.value is not None:
        conditions.append(value.in_(asked.value))
    count = (await session.execute(select(func.count(value)).where(*conditions))).scalar_one()
    page = select(value, label).where(*conditions).order_by(label, value)
    rows = await session.execute(page.offset(asked.offset).limit(asked.limit))
    return [{"value": row[0], "label": row[1]} for row in rows], count
