"""Attributes and values that the rules of promotions can use, for API clients that offer them to staff."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Category, Collection, Product, Variant
from backend.channels.models import Region, SalesChannel
from backend.core.errors import InvalidData
from backend.customers.models import CustomerGroup
from backend.edge.query import search_clauses, slice_page
from backend.promotions.answers import QuantityRuleOut, RuleAttribute, RuleValue
from backend.promotions.kinds import PromotionType
from backend.promotions.models import Promotion
from backend.promotions.rules import (
    AMOUNT_OPERATORS,
    CART_ATTRIBUTES,
    ITEM_TOTAL,
    TARGET_ATTRIBUTES,
    TEXT_OPERATORS,
    Operator,
)
from backend.promotions.schemas import RuleValueParameters

RULE_TYPES = {"rules": CART_ATTRIBUTES, "target-rules": TARGET_ATTRIBUTES, "buy-rules": TARGET_ATTRIBUTES}
QUANTITIES = {
    "target-rules": ("apply_to_quantity", "Quantity of items promotion will apply to"),
    "buy-rules": ("buy_rules_min_quantity", "Minimum quantity of items"),
}
"""Id and label of the quantity of a buyget promotion that the platform lists with each type of rules."""
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
_TABLE_VALUES: dict[str, tuple[Any, Any]] = {
    "customer_group": (CustomerGroup.id, CustomerGroup.name),
    "region": (Region.id, Region.name),
    "sales_channel": (SalesChannel.id, SalesChannel.name),
    "product": (Product.id, Product.title),
    "product_category": (Category.id, Category.name),
    "product_collection": (Collection.id, Collection.title),
    "product_variant": (Variant.id, Variant.title),
}
_FIXED_VALUES = {"country": (("co", "Colombia"),), "currency_code": (("cop", "COP"),)}


def require_rule_type(rule_type: str) -> str:
    """Return the type of rules, after checking that it exists.

    Raises:
        InvalidData: there is no such type.
    """
    if rule_type not in RULE_TYPES:
        raise InvalidData(f"Invalid param rule_type ({rule_type})")
    return rule_type


def list_attributes(rule_type: str, promotion_type: str | None = None) -> list[RuleAttribute]:
    """Return the attributes that rules of this type can compare.

    For a buyget promotion, its quantity is included as an attribute.

    Raises:
        InvalidData: there is no such type.
    """
    attributes = [
        _attribute_wire(name, value) for name, value in RULE_TYPES[require_rule_type(rule_type)].items()
    ]
    if promotion_type == PromotionType.BUYGET and rule_type in QUANTITIES:
        name, label = QUANTITIES[rule_type]
        attributes.append(
            {
                "id": name,
                "value": name,
                "label": label,
                "required": True,
                "field_type": "number",
                "operators": [{"id": Operator.EQ, "value": Operator.EQ, "label": OPERATORS[Operator.EQ]}],
                "disguised": True,
            }
        )
    return attributes


def quantity_rules(promotion: Promotion, rule_type: str) -> list[QuantityRuleOut]:
    """Return the quantity of a buyget promotion as a rule, as the platform lists it; empty for other promotions."""
    if promotion.type != PromotionType.BUYGET or rule_type not in QUANTITIES:
        return []
    name, label = QUANTITIES[rule_type]
    quantity = promotion.apply_quantity if rule_type == "target-rules" else promotion.buy_quantity
    return [
        {
            "attribute": name,
            "attribute_label": label,
            "operator": Operator.EQ,
            "field_type": "number",
            "required": True,
            "disguised": True,
            "values": quantity or 1,
        }
    ]


def _attribute_wire(name: str, value: str) -> RuleAttribute:
    operators: Iterable[Operator] = AMOUNT_OPERATORS if value == ITEM_TOTAL else TEXT_OPERATORS
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


async def list_attribute_values(
    session: AsyncSession, rule_type: str, name: str, params: RuleValueParameters
) -> tuple[list[RuleValue], int]:
    """Return a page of the values with which rules can compare the attribute, and the number of all these values.

    Raises:
        InvalidData: rules of this type have no such attribute.
    """
    if name not in RULE_TYPES[require_rule_type(rule_type)]:
        raise InvalidData(f"Invalid rule attribute - {name}")
    if name not in _TABLE_VALUES:
        fixed_values: list[RuleValue] = [
            {"value": value, "label": label} for value, label in _FIXED_VALUES.get(name, ())
        ]
        return list(slice_page(fixed_values, params)), len(fixed_values)
    value, label = _TABLE_VALUES[name]
    conditions = search_clauses(params.q, label)
    if params.value is not None:
        conditions.append(value.in_(params.value))
    count = (await session.execute(select(func.count(value)).where(*conditions))).scalar_one()
    page = select(value, label).where(*conditions).order_by(label, value)
    rows = await session.execute(page.offset(params.offset).limit(params.limit))
    return [{"value": row[0], "label": row[1]} for row in rows], count
