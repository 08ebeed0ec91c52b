"""What a browser sends is taken as a form's texts, or not at all."""

from typing import Any

import pytest

from backend.core.errors import InvalidData
from backend.legal.consents import BOXES
from storefront.pages.checkout import fields


def test_only_the_form_s_own_fields_are_kept() -> None:
    sent = {"email": "ana@", "town": "Mede", "shipping_option": "so_1", "total": "1", "__proto__": "x"}
    assert fields.typed_fields(sent) == {"email": "ana@", "town": "Mede", "shipping_option": "so_1"}


@pytest.mark.parametrize(
    "sent", [None, [], "email", {"email": 1}, {"email": None}, {"email": "x" * 301}, {"bank": ["1022"]}]
)
def test_anything_else_is_refused(sent: Any) -> None:
    with pytest.raises(InvalidData):
        fields.typed_fields(sent)


def test_names_are_those_of_fields() -> None:
    assert fields.field_names(["email", "bank", "owner", 3, None, "email"]) == {"email", "bank"}
    assert fields.field_names({"email": 1}) == frozenset()


def test_a_company_has_its_nit_and_a_person_everything_else() -> None:
    assert [kind["value"] for kind in fields.DOCUMENTS["1"]] == ["NIT"]
    assert "NIT" not in [kind["value"] for kind in fields.DOCUMENTS["0"]]
    assert fields.DOCUMENTS["0"][0]["value"] == fields.EMPTY["doc_type"] == "CC"


def test_every_field_belongs_to_a_step() -> None:
    steps = {name for names in fields.STEPS.values() for name in names}
    assert steps | {"shipping", *BOXES} == set(fields.LABELS)  # the boxes stand below the steps
