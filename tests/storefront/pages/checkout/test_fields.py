"""Tests of the form values that a browser sends: they are valid texts, or they are refused."""

from typing import Any

import pytest

from backend.core.errors import InvalidData
from backend.legal.consents import CHECKBOXES
from backend.orders.gifts import RECIPIENT_FIELDS
from storefront.pages.checkout import fields


def test_only_known_fields_of_the_checkout_form_are_parsed() -> None:
    sent = {"email": "ana@", "town": "Mede", "shipping_option": "so_1", "total": "1", "__proto__": "x"}
    assert fields.parse_fields(sent) == {"email": "ana@", "town": "Mede", "shipping_option": "so_1"}


@pytest.mark.parametrize("name", ["gift_recipient", *RECIPIENT_FIELDS, "company_name", "person_type"])
@pytest.mark.parametrize("value", [None, True, 1, ["on"], {"on": "on"}, "x" * 301])
def test_invalid_values_of_recipient_and_company_are_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidData):
        fields.parse_fields({name: value})


@pytest.mark.parametrize(
    "sent", [None, [], "email", {"email": 1}, {"email": None}, {"email": "x" * 301}, {"bank": ["1022"]}]
)
def test_invalid_checkout_field_values_are_refused(sent: Any) -> None:
    with pytest.raises(InvalidData):
        fields.parse_fields(sent)


def test_only_known_names_in_a_list_of_checkout_fields_are_parsed() -> None:
    assert fields.parse_field_names(["email", "bank", "owner", 3, None, "email"]) == {"email", "bank"}
    assert fields.parse_field_names({"email": 1}) == frozenset()


def test_company_can_only_choose_nit_and_person_all_other_document_types() -> None:
    assert [kind["value"] for kind in fields.DOCUMENTS["1"]] == ["NIT"]
    assert "NIT" not in [kind["value"] for kind in fields.DOCUMENTS["0"]]
    assert fields.DOCUMENTS["0"][0]["value"] == fields.INITIAL_VALUES["doc_type"] == "CC"


def test_every_field_belongs_to_a_checkout_step() -> None:
    steps = {name for names in fields.STEPS.values() for name in names}
    assert steps | {"shipping", *CHECKBOXES} == set(fields.LABELS)  # the checkboxes are below the steps
