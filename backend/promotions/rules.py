"""Rules of promotions: conditions that compare an attribute of a cart or of a line with values.

A promotion applies to a cart that meets all its rules, and discounts the lines that meet all its target rules.
Names and operators are those of the commerce platform. A rule that the shop cannot check is refused when it is
stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.ids import new_id
from backend.core.money import Cop

ITEM_TOTAL = "item_total"
"""The lines' total before discounts, in pesos: used for the minimum of a promotion."""
CUSTOMER_GROUPS = "customer.groups.id"
PRODUCT, CATEGORY = "items.product.id", "items.product.categories.id"


class Operator(StrEnum):
    """A comparison operator. `in` and `eq`: one of the values matches; `ne`: none matches; the others compare pesos."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"


TEXT_OPERATORS = (Operator.IN, Operator.EQ, Operator.NE)
AMOUNT_OPERATORS = (Operator.GTE, Operator.GT, Operator.LTE, Operator.LT, Operator.EQ)
CART_ATTRIBUTES = {
    "customer_group": CUSTOMER_GROUPS,
    "region": "region.id",
    "country": "shipping_address.country_code",
    "sales_channel": "sales_channel_id",
    "currency_code": "currency_code",
    "item_total": ITEM_TOTAL,
}
TARGET_ATTRIBUTES = {
    "product": PRODUCT,
    "product_category": CATEGORY,
    "product_collection": "items.product.collection_id",
    "product_variant": "items.variant.id",
}
"""The attributes, by their ids in the platform's dashboard."""
MAX_VALUES = 1000
MAX_RULES = 20


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition of a promotion. For an amount, `values` has one number of whole pesos."""

    attribute: str
    operator: Operator
    values: tuple[str, ...]

    @classmethod
    def from_stored(cls, stored: JsonObject) -> "Rule":
        """Parse a rule from the format that `to_stored_rule` returns."""
        return cls(stored["attribute"], Operator(stored["operator"]), tuple(stored["values"]))

    def is_met(self, facts: Mapping[str, Any]) -> bool:
        """Return True if `facts` meet the rule.

        `facts` have a set of texts for each attribute, and pesos for `ITEM_TOTAL`.
        """
        fact = facts.get(self.attribute, frozenset())
        if self.attribute == ITEM_TOTAL:
            return _is_satisfied(int(fact), self.operator, int(self.values[0]))
        has_one = not fact.isdisjoint(self.values)
        return not has_one if self.operator is Operator.NE else has_one


def _is_satisfied(amount: Cop, operator: Operator, bound: Cop) -> bool:
    return {
        Operator.EQ: amount == bound,
        Operator.GT: amount > bound,
        Operator.GTE: amount >= bound,
        Operator.LT: amount < bound,
        Operator.LTE: amount <= bound,
    }[operator]


def parse_rules(stored: Sequence[JsonObject]) -> tuple[Rule, ...]:
    """Parse the stored rules of a promotion."""
    return tuple(map(Rule.from_stored, stored))


def are_met(rules: Sequence[Rule], facts: Mapping[str, Any]) -> bool:
    """Return True if `facts` meet all rules. See `Rule.is_met`."""
    return all(rule.is_met(facts) for rule in rules)


def compute_missing_amount(rules: Sequence[Rule], item_total: Cop) -> Cop:
    """Return the value in pesos of products to add until the rules' minimum is reached; 0 if it is reached."""
    needed = [
        int(rule.values[0]) + (rule.operator is Operator.GT)
        for rule in rules
        if rule.attribute == ITEM_TOTAL and rule.operator in (Operator.GT, Operator.GTE)
    ]
    return max((bound - item_total for bound in needed if bound > item_total), default=0)


def to_stored_rule(
    attribute: str,
    operator: str,
    values: str | Sequence[str],
    *,
    is_target: bool,
    description: str | None = None,
    rule_id: str | None = None,
) -> JsonObject:
    """Return the rule in its stored format.

    Raises:
        InvalidData: the attribute does not exist, it does not allow the operator, or a value is missing or wrong.
    """
    attributes = TARGET_ATTRIBUTES if is_target else CART_ATTRIBUTES
    if attribute not in attributes.values():
        raise InvalidData(f"Invalid rule attribute: {attribute}; possible: {', '.join(attributes.values())}")
    operators = AMOUNT_OPERATORS if attribute == ITEM_TOTAL else TEXT_OPERATORS
    if operator not in operators:
        raise InvalidData(f"Invalid operator for {attribute}: {operator}; possible: {', '.join(operators)}")
    value_list = [values] if isinstance(values, str) else list(dict.fromkeys(values))
    if not value_list or len(value_list) > MAX_VALUES:
        raise InvalidData(f"A rule has between 1 and {MAX_VALUES} values")
    if attribute == ITEM_TOTAL and not (
        len(value_list) == 1 and value_list[0].isascii() and value_list[0].isdigit()
    ):
        raise InvalidData(f"{ITEM_TOTAL} is compared with one number of whole pesos")
    return {
        "id": rule_id or new_id("prorul"),
        "attribute": attribute,
        "operator": str(operator),
        "values": value_list,
        "description": description,
    }
