"""Base classes and field types of bodies and queries. Answers are types of `backend.edge.wire`."""

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
from backend.core.web.contact import MAX_NAME as LONGEST_NAME
from backend.core.web.contact import is_company_name, is_email, is_person_name, tidy_name

MAX_TEXT = 10_000
MAX_NAME = 255
MAX_DEPTH = 12
MAX_METADATA_BYTES = 16 * 1024
MAX_SMALL_METADATA_BYTES = 2 * 1024
"""Of what anybody may send. A cart has it for itself, for each address and for each of its lines."""
MAX_UNITS = 1_000_000
MAX_OFFSET = 1_000_000
DEFAULT_LIMIT = 50
MAX_LIMIT = 100
"""No list is longer than this; asking for more is asking for this many."""


def problem(message: str) -> PydanticCustomError:
    """An error to raise in a validator: its message is a whole sentence (see `backend.edge.errors`)."""
    return PydanticCustomError("wire", "{message}", {"message": message})


class Body(BaseModel):
    """A request's body. Unknown fields are refused, and `"5"` is not taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class LenientBody(BaseModel):
    """A body whose unknown fields are ignored, where the platform does so."""

    model_config = ConfigDict(extra="ignore", strict=True)


def example(**body: Any) -> ConfigDict:
    """The `model_config` of a body that is documented by what is sent.

    Every body has one: `/docs` shows it, and a test sends it.
    """
    return ConfigDict(json_schema_extra={"examples": [body]})


class Parameters(BaseModel):
    """The parameters of a query. Unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class OneParameters(Parameters):
    """What may be asked of a single thing."""

    fields: str | None = Field(
        None, description="What is shown: `a,b` only these, `+a` also, `-a` not, `*rel` whole."
    )


Limit = Annotated[int, Field(ge=0), AfterValidator(lambda limit: min(limit, MAX_LIMIT))]
"""How many things a page of a list has at most."""


class ListParameters(OneParameters):
    """What may be asked of every list. A limit over the largest page gives the largest page."""

    limit: Limit = DEFAULT_LIMIT
    offset: int = Field(0, ge=0, le=MAX_OFFSET)
    order: str | None = Field(None, max_length=60, description="A field, with `-` before it for descending.")


class FilterParameters(ListParameters):
    """What may be asked of lists whose filters can be combined.

    `$or[0][title]=a&$or[1][id]=b`: one of these must hold too; `$and[0][title]=a&$and[1][id]=b`: each must. They hold
    filters and no paging, and others of their kind.
    """

    _any_of: list[Self] = PrivateAttr(default_factory=list)
    _all_of: list[Self] = PrivateAttr(default_factory=list)

    def combine(self, any_of: Iterable[Self], all_of: Iterable[Self]) -> None:
        """Add what `$or` and `$and` say."""
        self._any_of, self._all_of = [*any_of], [*all_of]

    @property
    def any_of(self) -> Sequence[Self]:
        """What `$or` says."""
        return self._any_of

    @property
    def all_of(self) -> Sequence[Self]:
        """What `$and` says."""
        return self._all_of

    def parts(self) -> Iterator[Self]:
        """These filters, and all that are combined with them."""
        yield self
        for one in (*self._any_of, *self._all_of):
            yield from one.parts()


def _whole(value: Any) -> Any:
    """2.0 is 2 in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _email(text: str) -> str:
    if not is_email(text):
        raise problem("Invalid email address")
    return text


def _person_name(text: str) -> str:
    name = tidy_name(text)
    if name and not is_person_name(name):
        raise problem(
            f"A person's name has at most {LONGEST_NAME} letters, spaces, dots, hyphens and apostrophes, and no link"
        )
    return name


def _company_name(text: str) -> str:
    name = tidy_name(text)
    if name and not is_company_name(name):
        raise problem(f"A company's name has at most {LONGEST_NAME} characters and no link")
    return name


def _shallow(value: dict[str, Any]) -> dict[str, Any]:
    if _depth(value, MAX_DEPTH + 1) > MAX_DEPTH:
        raise problem(f"Metadata is nested deeper than {MAX_DEPTH} levels")
    return value


def _at_most(most: int) -> AfterValidator:
    """Metadata of at most so many bytes of JSON."""

    def check(value: dict[str, Any]) -> dict[str, Any]:
        if len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) > most:
            raise problem(f"Metadata is larger than {most} bytes")
        return value

    return AfterValidator(check)


def _depth(value: Any, most: int) -> int:
    if most == 0 or not isinstance(value, dict | list):
        return 0
    parts = value.values() if isinstance(value, dict) else value
    return 1 + max((_depth(part, most - 1) for part in parts), default=0)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise problem("A number must be finite")
    return value


def _utc(moment: datetime) -> datetime:
    """A moment without a zone is taken for UTC."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise problem("A moment is out of range") from None


Whole = Annotated[int, BeforeValidator(_whole)]
Units = Annotated[Whole, Field(le=MAX_UNITS)]
Pesos = Annotated[Whole, Field(ge=0, le=MAX_AMOUNT)]
Measure = Annotated[float, AfterValidator(_finite), Field(ge=0, le=MAX_AMOUNT)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Name = Annotated[str, Field(max_length=MAX_NAME)]
FilledName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
PersonName = Annotated[Name, AfterValidator(_person_name)]
"""A first or last name, or nothing: see `backend.core.web.contact.is_person_name`."""
CompanyName = Annotated[Name, AfterValidator(_company_name)]
Email = Annotated[str, AfterValidator(_email)]
Moment = Annotated[datetime, AfterValidator(_utc)]
Metadata = Annotated[dict[str, Any], AfterValidator(_shallow), _at_most(MAX_METADATA_BYTES)]
SmallMetadata = Annotated[dict[str, Any], AfterValidator(_shallow), _at_most(MAX_SMALL_METADATA_BYTES)]
Ids = Annotated[list[Name], Field(max_length=1000)]


class Moments(FilterParameters):
    """Lists that can be narrowed by when things were made or changed.

    A moment that is named alone, or with `$eq`, is the millisecond in which it was: answers show no less.
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
    """What may be asked of lists of things that have a name."""

    id: list[Name] | None = None
    name: list[Name] | None = None
    q: Name | None = Field(None, description="Part of the name.")


class Links(Body):
    """Ids of things to link to this one, and of things to unlink from it. Linking twice is once."""

    add: Ids | None = None
    remove: Ids | None = None


class AddressFields(BaseModel):
    """An address. What the platform has no field for is in `metadata`: `dane_code` (the municipality), `suburb`."""

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
"""Which of `OneOrMore` came; in brackets, so that complaints can leave them out of a field's path."""
OneOrMore = Annotated[
    Annotated[T, Tag(ONE)] | Annotated[list[T], Tag(MANY)],
    Discriminator(lambda value: MANY if isinstance(value, list) else ONE),
]
