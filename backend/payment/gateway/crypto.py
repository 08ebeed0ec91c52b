"""How a field is hidden on the way to the gateway: the official Node SDK's variant (wire: gateway 1.5).

AES-128 in CBC mode with PKCS#7 padding and a zero IV; the merchant's private key is the key. It hides nothing from who
holds that key and the same text always gives the same result: the transport's TLS is what protects the shopper. The
gateway picks this variant by `i`, `lenguaje` and `p` together, so none of them may come from another SDK.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error

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
