"""Base classes and field types of bodies and queries. The types of answers are in `backend.edge.wire`."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
)
from pydantic_core import PydanticCustomError

from backend.core.money import MAX_AMOUNT
from backend.core.web.contact import (
    MAX_NAME_LENGTH,
    is_company_name,
    is_email,
    is_person_name,
    tidy_name,
    tidy_person_name,
)

MAX_TEXT = 10_000
MAX_NAME = 255
MAX_DEPTH = 12
MAX_METADATA_BYTES = 16 * 1024
MAX_SMALL_METADATA_BYTES = 2 * 1024
"""Maximum size of one metadata object of the Store API.

A cart has one object of its own, and one for each address and each line.
"""
MAX_UNITS = 1_000_000
MAX_OFFSET = 1_000_000
DEFAULT_LIMIT = 50
MAX_LIMIT = 100
"""Maximum length of a page; a higher limit is reduced to it."""


def validation_error(message: str) -> PydanticCustomError:
    """Return an error to raise in a validator; its message is a whole sentence (see `backend.edge.errors`)."""
    return PydanticCustomError("wire", "{message}", {"message": message})


class Body(BaseModel):
    """A request body. Unknown fields are refused, and `"5"` is not accepted as a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class LenientBody(BaseModel):
    """A request body whose unknown fields are ignored, as the commerce platform does."""

    model_config = ConfigDict(extra="ignore", strict=True)


def example(**body: Any) -> ConfigDict:
    """Return the `model_config` of a body with this example.

    Every body has an example: `/docs` displays it, and a test sends it.
    """
    return ConfigDict(json_schema_extra={"examples": [body]})


class EmptyBody(Body):
    """A body without fields."""

    model_config = example()


class Parameters(BaseModel):
    """Query parameters. Unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class OneParameters(Parameters):
    """Query parameters for a single object."""

    fields: str | None = Field(
        None, description="What is shown: `a,b` only these, `+a` also, `-a` not, `*rel` whole."
    )


Limit = Annotated[int, Field(ge=0), AfterValidator(lambda limit: min(limit, MAX_LIMIT))]
"""Maximum number of items on a page."""


class ListParameters(OneParameters):
    """Query parameters of every list. A limit above `MAX_LIMIT` is reduced to it."""

    limit: Limit = DEFAULT_LIMIT
    offset: int = Field(0, ge=0, le=MAX_OFFSET)
    order: str | None = Field(None, max_length=60, description="A field, with `-` before it for descending.")


class FilterParameters(ListParameters):
    """Query parameters of lists whose filters can be combined.

    With `$or[0][title]=a&$or[1][id]=b`, an item must match at least one of these parts, in addition to the other
    filters. With `$and[0][title]=a&$and[1][id]=b`, it must match each of them. Parts contain filters but no paging,
    and may be nested.
    """

    _any_of: list[Self] = PrivateAttr(default_factory=list)
    _all_of: list[Self] = PrivateAttr(default_factory=list)

    def combine(self, any_of: Iterable[Self], all_of: Iterable[Self]) -> None:
        """Store the parsed parts of `$or` and `$and`."""
        self._any_of, self._all_of = [*any_of], [*all_of]

    @property
    def any_of(self) -> Sequence[Self]:
        """Filters of `$or`."""
        return self._any_of

    @property
    def all_of(self) -> Sequence[Self]:
        """Filters of `$and`."""
        return self._all_of

    def parts(self) -> Iterator[Self]:
        """Iterate over these filters and all nested ones."""
        yield self
        for nested in (*self._any_of, *self._all_of):
            yield from nested.parts()


def _to_whole(value: Any) -> Any:
    """Convert a whole float to int: in JSON, 2.0 is 2."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_email(text: str) -> str:
    if not is_email(text):
        raise validation_error("Invalid email address")
    return text


def _check_person_name(text: str) -> str:
    name = tidy_person_name(text)
    if name and not is_person_name(name):
        raise validation_error(
            f"A person's name has at most {MAX_NAME_LENGTH} letters, spaces, dots, hyphens and apostrophes, and no link"
        )
    return name


def _check_company_name(text: str) -> str:
    name = tidy_name(text)
    if name and not is_company_name(name):
        raise validation_error(f"A company's name has at most {MAX_NAME_LENGTH} characters and no link")
    return name


def _check_depth(value: dict[str, Any]) -> dict[str, Any]:
    if _measure_depth(value, MAX_DEPTH + 1) > MAX_DEPTH:
        raise validation_error(f"Metadata is nested deeper than {MAX_DEPTH} levels")
    return value


def _max_json_bytes(max_bytes: int) -> AfterValidator:
    """Return a validator that limits metadata to `max_bytes` bytes of JSON."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        if len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) > max_bytes:
            raise validation_error(f"Metadata is larger than {max_bytes} bytes")
        return value

    return AfterValidator(check)


def _measure_depth(value: Any, max_depth: int) -> int:
    if max_depth == 0 or not isinstance(value, dict | list):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    return 1 + max((_measure_depth(part, max_depth - 1) for part in parts), default=0)


def _check_finite(value: float) -> float:
    if not math.isfinite(value):
        raise validation_error("A number must be finite")
    return value


def _to_utc(moment: datetime) -> datetime:
    """Convert a moment to UTC. A moment without a zone is taken as UTC."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise validation_error("A moment is out of range") from None


Whole = Annotated[int, BeforeValidator(_to_whole)]
Units = Annotated[Whole, Field(le=MAX_UNITS)]
Pesos = Annotated[Whole, Field(ge=0, le=MAX_AMOUNT)]
Measure = Annotated[float, AfterValidator(_check_finite), Field(ge=0, le=MAX_AMOUNT)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Name = Annotated[str, Field(max_length=MAX_NAME)]
FilledName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
PersonName = Annotated[Name, AfterValidator(_check_person_name)]
"""A first or last name, or nothing: see `backend.core.web.contact.is_person_name`."""
CompanyName = Annotated[Name, AfterValidator(_check_company_name)]
Email = Annotated[str, AfterValidator(_check_email)]
Moment = Annotated[datetime, AfterValidator(_to_utc)]
Metadata = Annotated[dict[str, Any], AfterValidator(_check_depth), _max_json_bytes(MAX_METADATA_BYTES)]
SmallMetadata = Annotated[
    dict[str, Any], AfterValidator(_check_depth), _max_json_bytes(MAX_SMALL_METADATA_BYTES)
]
Ids = Annotated[list[Name], Field(max_length=1000)]


class MomentParameters(FilterParameters):
    """Query parameters of lists that can be filtered by the time of creation or change.

    A moment without an operator, or with `$eq`, matches its whole millisecond, because answers have no more digits.
    """

    created_at: Moment | None = None
    created_then: Moment | None = Field(None, alias="created_at[$eq]")
    created_after: Moment | None = Field(None, alias="created_at[$gt]")
    created_from: Moment | None = Field(None, alias="created_at[$gte]")
    created_before: Moment | None = Field(None, alias="created_at[$lt]")
    created_until: Moment | None = Field(None, alias="created_at[$lte]")
    updated_at: Moment | None = None
    updated_then: Moment | None = Field(None, alias="updated_at[$eq]")
    updated_after: Moment | None = Field(None, alias="updated_at[$gt]")
    updated_from: Moment | None = Field(None, alias="updated_at[$gte]")
    updated_before: Moment | None = Field(None, alias="updated_at[$lt]")
    updated_until: Moment | None = Field(None, alias="updated_at[$lte]")


class NamedParameters(FilterParameters):
    """Query parameters of lists of objects with a name."""

    id: list[Name] | None = None
    name: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name.")


class Links(Body):
    """Ids of objects to link to this one, and of objects to unlink. Linking twice has no further effect."""

    add: Ids | None = None
    remove: Ids | None = None


class AddressFields(BaseModel):
    """An address. `metadata` has fields that the platform lacks: `dane_code` (the municipality), `suburb`."""

    first_name: PersonName | None = None
    last_name: PersonName | None = None
    phone: Name | None = None
    company: CompanyName | None = None
    address_1: Name | None = None
    address_2: Name | None = None
    city: Name | None = None
    country_code: Name | None = None
    province: Name | None = None
    postal_code: Name | None = None
    metadata: SmallMetadata | None = None


T = TypeVar("T")
ONE, MANY = "(one)", "(many)"
"""Names of the two forms of a `OneOrMore` value. The brackets let error messages leave them out of a field's path."""
OneOrMore = Annotated[
    Annotated[T, Tag(ONE)] | Annotated[list[T], Tag(MANY)],
    Discriminator(lambda value: MANY if isinstance(value, list) else ONE),
]
