"""Requests to the gateway, with encrypted fields like those of the official Node SDK (wire: gateway 1.4, 1.5).

AES-128 in CBC mode with PKCS#7 padding and a zero IV; the merchant's private key is the encryption key. The
encryption is deterministic, so only TLS protects the shopper's data. The gateway recognizes the SDK by `i`,
`lenguaje` and `p` together, so all three must be those of the Node SDK.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from pydantic import SecretStr

from backend.core.money import CURRENCY, Cop

if TYPE_CHECKING:  # the first payment loads the encryption modules
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.modes import CBC


@dataclass(frozen=True)
class GatewayCredentials:
    """The merchant's four keys (wire: gateway 1.2). Its `repr` contains no key."""

    public_key: SecretStr
    private_key: SecretStr
    """32 hexadecimal digits; also the AES key."""
    cust_id: str
    p_key: SecretStr
    """Used with `cust_id`, only for the signature of notifications."""


@dataclass(frozen=True)
class GatewayBases:
    """Addresses of the gateway's four services (wire: gateway 1.1), without a trailing slash."""

    api: str = "https://api.secure.payco.co"
    secure: str = "https://secure.payco.co"
    lookup: str = "https://secure.epayco.co"
    apify: str = "https://apify.epayco.co"

    @classmethod
    def at_url(cls, url: str) -> Self:
        """Return the addresses of a gateway whose four services share one URL.

        Their paths differ (`/v1`, `/restpagos`, `/validation`, `/login`).
        """
        base = url.rstrip("/")
        return cls(api=base, secure=base, lookup=base, apify=base)


@dataclass(frozen=True)
class Bank:
    """A bank of the PSE list, as the gateway sent it."""

    code: str
    name: str


@dataclass(frozen=True, kw_only=True)
class BankPayment:
    """The request `bank.create`. Its fields are the official SDK's keys, in the SDK's order (wire: gateway 1.4).

    Amounts are whole pesos: value = tax_base + tax + ico.
    """

    bank: str
    invoice: str
    description: str
    value: Cop
    tax: Cop
    tax_base: Cop
    ico: Cop = 0
    currency: str = CURRENCY
    type_person: str
    doc_type: str
    doc_number: str
    name: str
    last_name: str
    email: str
    country: str = "CO"
    department: str
    city: str
    phone: str
    cell_phone: str
    address: str
    ip: str
    url_response: str
    url_confirmation: str
    method_confirmation: str = "POST"
    extra1: str = ""


@dataclass(frozen=True, kw_only=True)
class BankPaymentCreated:
    """A payment that the gateway accepted: the shopper must go to `redirect_url`.

    Attributes:
        reference: `ref_payco`.
        transaction_id: the CUS, the bank network's trace number.
        ticket_id: the receipt number, used to look up the payment. It is a text, because it may exceed 2^53.
    """

    redirect_url: str
    reference: str | None
    transaction_id: str | None
    ticket_id: str | None
    raw: Mapping[str, Any] = field(repr=False)


WIRE_KEYS = {
    "bank": "banco",
    "invoice": "factura",
    "description": "descripcion",
    "value": "valor",
    "tax": "iva",
    "tax_base": "baseiva",
    "ico": "ico",
    "currency": "moneda",
    "type_person": "tipo_persona",
    "doc_type": "tipo_doc",
    "doc_number": "documento",
    "name": "nombres",
    "last_name": "apellidos",
    "email": "email",
    "country": "pais",
    "department": "depto",
    "city": "ciudad",
    "phone": "telefono",
    "cell_phone": "celular",
    "address": "direccion",
    "ip": "ip",
    "url_response": "url_respuesta",
    "url_confirmation": "url_confirmacion",
    "method_confirmation": "method_confirmation",
    "metodoconfirmacion": "metodoconfirmacion",
    "end_date": "fechaexpiracion",
}
"""Keys in the request by SDK key; an SDK key that is not listed is sent unchanged."""

LANGUAGE = "javascript"
INTEGRATION = "P44"
"""The name of the Node SDK in `extras_epayco`."""


def to_sdk_fields(payment: BankPayment) -> dict[str, str]:
    """Return the payment by SDK key, in the SDK's order, every value as text.

    The HTTP method of the notifications is sent under two names, because the gateway does not document which name
    it reads.
    """
    fields: dict[str, str] = {}
    for key, value in asdict(payment).items():
        if key == "extra1" and not value:
            continue
        fields[key] = str(value)
        if key == "method_confirmation":
            fields["metodoconfirmacion"] = str(value)
    return fields


def encrypt_body(
    fields: Mapping[str, str], credentials: GatewayCredentials, *, test_mode: bool
) -> dict[str, Any]:
    """Return the JSON body of the request with encrypted fields, in the same key order as the SDK."""
    private_key = credentials.private_key.get_secret_value()

    def hide(text: str) -> str:
        return encrypt(text, private_key)

    test = "TRUE" if test_mode else "FALSE"
    body: dict[str, Any] = {WIRE_KEYS.get(key, key): hide(value) for key, value in fields.items()}
    body["extras_epayco"] = {"extra5": hide(INTEGRATION)}
    body["test"] = hide(test)
    body["public_key"] = credentials.public_key.get_secret_value()
    body["i"] = INITIALISATION
    body["enpruebas"] = hide(test)
    body["lenguaje"] = LANGUAGE
    body["p"] = encode_key(private_key)
    return body


INITIALISATION = "AAAAAAAAAAA="
"""Field `i` of the request: eight zero bytes in base64. The SDK's cipher pads them to a block of sixteen bytes."""

_IV = bytes(16)
_BLOCK_BITS = 128


def encrypt(text: str, private_key: str) -> str:
    """Return the encrypted text in base64. `private_key` is 32 hexadecimal digits."""
    from cryptography.hazmat.primitives.padding import PKCS7

    padder = PKCS7(_BLOCK_BITS).padder()
    padded = padder.update(text.encode()) + padder.finalize()
    encryptor = _cipher(private_key).encryptor()
    return b64encode(encryptor.update(padded) + encryptor.finalize()).decode()


def decrypt(ciphertext: str, private_key: str) -> str:
    """Return the text that `encrypt` encrypted.

    Raises:
        ValueError: it is not base64, not a whole number of blocks, wrongly padded, or not UTF-8.
    """
    from cryptography.hazmat.primitives.padding import PKCS7

    try:
        blocks = b64decode(ciphertext, validate=True)
    except Base64Error:
        raise ValueError("not base64") from None
    decryptor = _cipher(private_key).decryptor()
    unpadder = PKCS7(_BLOCK_BITS).unpadder()
    padded = decryptor.update(blocks) + decryptor.finalize()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def encode_key(private_key: str) -> str:
    """Return the field `p`: the key itself, in base64, as the protocol requires."""
    return b64encode(bytes.fromhex(private_key)).decode()


def _cipher(private_key: str) -> "Cipher[CBC]":
    from cryptography.hazmat.primitives.ciphers import Cipher
    from cryptography.hazmat.primitives.ciphers.algorithms import AES
    from cryptography.hazmat.primitives.ciphers.modes import CBC

    return Cipher(AES(bytes.fromhex(private_key)), CBC(_IV))
