"""The signature of a notification (wire: gateway 1.8, Signature).

It covers who, which transaction, how much and in what currency. It does *not* cover the invoice, the state or the test
flag: a genuine signature proves where the message once came from, not that the payment was accepted.
"""

import hashlib
import hmac
from collections.abc import Mapping

_SIGNED = ("x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code")


def sign(cust_id: str, p_key: str, *, reference: str, transaction_id: str, amount: str, currency: str) -> str:
    """The signature, in lower-case hexadecimal. Every value goes in exactly as it stands in the message."""
    signed = f"{cust_id}^{p_key}^{reference}^{transaction_id}^{amount}^{currency}"
    return hashlib.sha256(signed.encode()).hexdigest()


def is_genuine(fields: Mapping[str, str], cust_id: str, p_key: str) -> bool:
    """Whether the `x_…` fields, as received, carry the signature that our keys give. Takes constant time."""
    if not all(fields.get(name) for name in _SIGNED):
        return False
    reference, transaction_id, amount, currency = (fields[name] for name in _SIGNED)
    expected = sign(
        cust_id, p_key, reference=reference, transaction_id=transaction_id, amount=amount, currency=currency
    )
    return hmac.compare_digest(expected.encode(), fields.get("x_signature", "").encode())
