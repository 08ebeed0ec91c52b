import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.payment.providers.pse.reports import is_genuine, sign

CUST, P_KEY = "99999", "0123456789abcdef0123456789abcdef01234567"
VECTORS = [
    ("38000", "89c5c38606e72e9af5750107846041c7e9be1c48f28cc7b16ac5f1dc04d5d2a3"),
    ("38000.00", "18c293b5f1e6e9c036b64a11d9d6d198ea3357c53a199d95f4fcae18468c1998"),
]


def notification(amount: str, signature: str) -> dict[str, str]:
    return {
        "x_ref_payco": "101767532",
        "x_transaction_id": "48771874411906",
        "x_amount": amount,
        "x_currency_code": "COP",
        "x_signature": signature,
    }


@pytest.mark.parametrize(("amount", "signature"), VECTORS)
def test_gives_the_published_vectors(amount: str, signature: str) -> None:
    given_by_us = sign(
        CUST, P_KEY, reference="101767532", transaction_id="48771874411906", amount=amount, currency="COP"
    )
    assert given_by_us == signature
    assert is_genuine(notification(amount, signature), CUST, P_KEY)


def test_takes_the_amount_as_it_was_written() -> None:
    assert not is_genuine(notification("38000.00", VECTORS[0][1]), CUST, P_KEY)


@pytest.mark.parametrize(
    "missing", ["x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code", "x_signature"]
)
def test_a_missing_value_is_never_genuine(missing: str) -> None:
    fields = notification(*VECTORS[0])
    del fields[missing]
    assert not is_genuine(fields, CUST, P_KEY)


@given(st.data())
def test_one_changed_character_anywhere_is_noticed(data: st.DataObject) -> None:
    values = {"cust": CUST, "p_key": P_KEY, **notification(*VECTORS[0])}
    name = data.draw(st.sampled_from(sorted(values)))
    at = data.draw(st.integers(0, len(values[name]) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda c: c != values[name][at]))
    changed = {**values, name: values[name][:at] + other + values[name][at + 1 :]}
    fields = {key: value for key, value in changed.items() if key.startswith("x_")}
    assert not is_genuine(fields, changed["cust"], changed["p_key"])
