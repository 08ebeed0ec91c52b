"""How a field is hidden on the way to the gateway: the official Node SDK's variant (wire: gateway 1.5).

AES-128 in CBC mode with PKCS#7 padding and a zero IV; the merchant's private key is the key. It hides nothing from who
holds that key and the same text always gives the same result: the transport's TLS is what protects the shopper. The
gateway picks this variant by `i`, `lenguaje` and `p` together, so none of them may come from another SDK.

A notification's signature covers who, which transaction, how much and in what currency (wire: gateway 1.8, Signature).
It does *not* cover the invoice, the state or the test flag: a genuine signature proves where the message once came
from, not that the payment was accepted.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7

INITIALISATION = "AAAAAAAAAAA="
"""`i`: eight zero bytes. The SDK names eight, and its cipher fills them up to the sixteen of a block."""

_IV = bytes(16)
_BLOCK_BITS = 128


def encrypt(text: str, private_key: str) -> str:
    """The text as the gateway reads it: base64 of the ciphertext. `private_key` is 32 hexadecimal digits."""
    padder = PKCS7(_BLOCK_BITS).padder()
    padded = padder.update(text.encode()) + padder.finalize()
    encryptor = _cipher(private_key).encryptor()
    return b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


def decrypt(ciphertext: str, private_key: str) -> str:
    """The text that `encrypt` hid.

    Raises:
        ValueError: it is no base64, no whole number of blocks, wrongly padded, or no UTF-8.
    """
    try:
        blocks = b64decode(ciphertext, validate=True)
    except Base64Error:
        raise ValueError("not base64") from None
    decryptor = _cipher(private_key).decryptor()
    unpadder = PKCS7(_BLOCK_BITS).unpadder()
    padded = decryptor.update(blocks) + decryptor.finalize()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def key_parameter(private_key: str) -> str:
    """`p`: the key itself, in base64, as the protocol wants it."""
    return b64encode(bytes.fromhex(private_key)).decode()


def _cipher(private_key: str) -> Cipher[CBC]:
    return Cipher(AES(bytes.fromhex(private_key)), CBC(_IV))


_SIGNED = ("x_ref_payco", "x_transaction_id", "x_amount", "x_currency_code")


def sign(cust_id: str, p_key: str, *, reference: str, transaction_id: str, amount: str, currency: str) -> str:
    """The signature, in lower-case hexadecimal. Every value goes in exactly as it stands in the message."""
    signed = f"{cust_id}^{p_key}^{reference}^{transaction_id}^{amount}^{currency}"
    return hashlib.sha256(signed.encode(errors="replace")).hexdigest()


def is_genuine(fields: Mapping[str, str], cust_id: str, p_key: str) -> bool:
    """Whether the `x_…` fields, as received, carry the signature that our keys give. Takes constant time."""
    if not all(fields.get(name) for name in _SIGNED):
        return False
    reference, transaction_id, amount, currency = (fields[name] for name in _SIGNED)
    expected = sign(
        cust_id, p_key, reference=reference, transaction_id=transaction_id, amount=amount, currency=currency
    )
    given = fields.get("x_signature", "").encode(errors="replace")
    return hmac.compare_digest(expected.encode(), given)
