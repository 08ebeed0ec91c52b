"""Addresses of a former shop in the form in which they are compared.

The host, the fragment, doubled slashes and a slash at the end are dropped. Letters are converted to lower case,
with composed accents. The parameters are sorted; those that only track the visitor, or choose a variant or a
language, are dropped. An ending such as `.html` is part of the address.
"""

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from backend.catalog.schemas.cell_parsers import LIST_SEPARATOR, CellError

MAX_ADDRESS_LENGTH = 500
"""Maximum length in characters of a normalized address."""
MAX_TYPED_LENGTH = 2_000
MAX_PARAMETERS = 50
MAX_ADDRESSES_PER_CELL = 50
RESERVED_SEGMENTS = frozenset(
    {
        "_event", "admin", "api", "apple-touch-icon-precomposed.png", "apple-touch-icon.png", "auth", "docs",
        "favicon.ico", "feed", "health", "hooks", "icons", "livez", "manifest.webmanifest",
        "metrics", "oficina", "openapi.json", "pictures", "readyz", "robots.txt", "sandbox", "sitemap.xml", "store",
        "sw.js",
    }
)  # fmt: skip
"""First path segments of addresses that the shop itself answers, so that they cannot be redirected."""
IGNORED_PARAMETERS = frozenset(
    {
        "_branch_match_id", "_fid", "_ga", "_gl", "_pos", "_psq", "_sid", "_ss", "_v", "add-to-cart", "country",
        "currency", "dclid", "epik", "fbclid", "gad_campaignid", "gad_source", "gbraid", "gclid", "gclsrc", "igsh",
        "igshid", "id_product_attribute", "li_fat_id", "mc_cid", "mc_eid", "msclkid", "srsltid", "ttclid", "twclid",
        "variant", "wbraid", "yclid",
    }
)  # fmt: skip
"""Parameters that identify neither a product nor a category, in addition to `IGNORED_PREFIXES`."""
IGNORED_PREFIXES = ("utm_", "hsa_", "attribute_", "pk_", "mtm_")
PAGE_ENDINGS = frozenset({"html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "cfm"})
"""File extensions of web pages."""
_SCHEME = re.compile(r"(?:https?:)?//[^/?#]*", re.IGNORECASE)
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+([a-z]{2,})(?::\d{1,5})?(?=[/?]|$)", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_GAP = re.compile(r"[\s,;]+(?=https?://|/)", re.IGNORECASE)
_SPACE = re.compile(r"\s")
_RESERVED_IN_PATH = re.compile(r"[%?#/\s]")
_RESERVED_IN_QUERY = re.compile(r"[%&=+#\s]")
_SEPARATORS = re.compile(rf"[{re.escape(LIST_SEPARATOR)}\n\r]")


class InvalidAddress(ValueError):
    """The text is not an address, or the address cannot be redirected."""


@dataclass(frozen=True, slots=True)
class OldAddress:
    """A normalized address. Equal addresses have the same text (`str`).

    Attributes:
        path: the path, encoded only where necessary.
        parameters: names and values of the parameters, sorted.
    """

    path: str
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        query = "&".join(f"{_encode_word(name)}={_encode_word(value)}" for name, value in self.parameters)
        return f"{self.path}?{query}" if query else self.path

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, sorted."""
        return tuple(sorted({name for name, _value in self.parameters}))

    @property
    def first_segment(self) -> str:
        """The first segment of the path."""
        return self.path.split("/")[1]

    def restrict(self, names: frozenset[str]) -> "OldAddress":
        """Return the address with only these parameters."""
        return OldAddress(self.path, tuple(pair for pair in self.parameters if pair[0] in names))


def parse_request_address(path: bytes, query: bytes) -> OldAddress | None:
    """Return the normalized address of a request, given its encoded path and query; None if it is not valid."""
    try:
        address = _normalize(path, query)
        str(address).encode()
    except (InvalidAddress, UnicodeError):
        return None
    return address


def parse_address(text: str) -> OldAddress:
    """Return the normalized form of an address that a person or a program wrote, with or without its host.

    Raises:
        InvalidAddress: the text is not an address, or the address cannot be redirected.
    """
    text = text.strip()
    if not text or len(text) > MAX_TYPED_LENGTH:
        raise InvalidAddress("must be an address with at most 2,000 characters")
    path, _mark, query = _drop_host(text).partition("#")[0].partition("?")
    try:
        address = _normalize(path.encode(), query.encode())
    except UnicodeError:
        raise InvalidAddress("must have only letters that can be written") from None
    if address.path == "/" and not address.parameters:
        raise InvalidAddress("must not be the home page")
    if address.first_segment in RESERVED_SEGMENTS:
        raise InvalidAddress(f"must not begin with /{address.first_segment}, which the shop uses")
    if len(str(address)) > MAX_ADDRESS_LENGTH:
        raise InvalidAddress(f"must not be longer than {MAX_ADDRESS_LENGTH} characters")
    return address


def is_address(text: str) -> bool:
    """Return True if the text looks like an address, not like a word or a code."""
    text = text.strip()
    found = _DOMAIN.match(text)
    return bool(
        text.startswith(("/", "?"))
        or _SCHEME.match(text)
        or (found and found[1].lower() not in PAGE_ENDINGS and text[found.end() : found.end() + 1])
        or (
            not _SPACE.search(text)
            and ("/" in text or text.partition("?")[0].rpartition(".")[2].lower() in PAGE_ENDINGS)
        )
    )


def parse_addresses(cell: str) -> tuple[str, ...]:
    """Parse the addresses in a cell.

    They are separated by `|` or line breaks. Commas, semicolons and spaces separate too, if an address that begins
    with a slash or a scheme follows.

    Raises:
        CellError: one of them is not an address, or there are too many.
    """
    parts = [part for some in _SEPARATORS.split(cell) for one in _GAP.split(some) if (part := one.strip())]
    found: dict[str, None] = {}
    for part in parts:
        if not is_address(part):
            raise CellError("must be addresses such as /productos/mochila, separated by |")
        try:
            found[str(parse_address(part))] = None
        except InvalidAddress as error:
            raise CellError(f"each address {error}") from None
    if len(found) > MAX_ADDRESSES_PER_CELL:
        raise CellError(f"must not have more than {MAX_ADDRESSES_PER_CELL} addresses")
    return tuple(found)


def _drop_host(text: str) -> str:
    if (found := _SCHEME.match(text)) is not None:
        return text[found.end() :]
    if text.startswith(("/", "?")):
        return text
    if (found := _DOMAIN.match(text)) is not None and found[1].lower() not in PAGE_ENDINGS:
        return text[found.end() :]
    if _OTHER_SCHEME.match(text):
        raise InvalidAddress("must be a web address")
    return f"/{text}"


def _normalize(path: bytes, query: bytes) -> OldAddress:
    segments = [_decode(part) for part in path.split(b"/") if part]
    if any(segment in {".", ".."} for segment in segments):
        raise InvalidAddress("must not have . or .. as a part")
    parts = [segment for segment in segments if segment]
    if len(parts) == 4 and (parts[0], parts[2]) == ("collections", "products"):
        parts = parts[2:]  # Shopify has each product also under its collections
    pairs = set()
    for pair in query.split(b"&")[:MAX_PARAMETERS]:
        name, _mark, value = pair.replace(b"+", b" ").partition(b"=")
        if (word := _decode(name)) and not _is_ignored(word):
            pairs.add((word, _decode(value)))
    return OldAddress("/" + "/".join(map(_encode_segment, parts)), tuple(sorted(pairs)))


def _decode(part: bytes) -> str:
    """Return the decoded part of an address in lower case.

    Bytes that are not UTF-8 are read as cp1252, as old shops wrote them.
    """
    raw = unquote_to_bytes(part)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower()).strip()
    if any(not (letter.isprintable() or letter.isspace()) for letter in text):
        raise InvalidAddress("must not have control characters")
    return " ".join(text.split())


def _encode_segment(segment: str) -> str:
    return _RESERVED_IN_PATH.sub(_percent_encode, segment)


def _encode_word(word: str) -> str:
    return _RESERVED_IN_QUERY.sub(_percent_encode, word)


def _percent_encode(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _is_ignored(name: str) -> bool:
    return name in IGNORED_PARAMETERS or name.startswith(IGNORED_PREFIXES)
