"""What the procedure is to do, in a file people can read (spec: Catalog-assignment procedure 3)."""

import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from backend.catalog.handles import handle_from, is_handle

PRODUCT_ID = "prod_"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]
Products = Annotated[list[Text], Field(min_length=1)]
"""Product ids (`prod_…`) or handles."""


class DataError(SystemExit):
    """The data file cannot be used. Printed as it is, without a traceback."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CollectionToCreate(_Part):
    """A collection by its title, to be created when there is none, and its products."""

    title: Text
    products: Products

    @field_validator("title")
    @classmethod
    def _has_a_handle(cls, title: str) -> str:
        if not _handle_of(title):
            raise ValueError("has no letter or digit of which to make a handle")
        return title

    @property
    def handle(self) -> str:
        """The handle it is created with."""
        return _handle_of(self.title)


class Existing(_Part):
    """Something that is there, by its id or its handle, and the products to add."""

    id: Text | None = None
    handle: Text | None = None
    products: Products

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if (self.id is None) == (self.handle is None):
            raise ValueError("needs either `id` or `handle`")
        return self

    @property
    def name(self) -> str:
        """The id or the handle."""
        return self.id or self.handle or ""


class AssignmentData(_Part):
    """All that one run does."""

    create: list[CollectionToCreate] = []
    existing: list[Existing] = []
    category: Existing | None = None

    @model_validator(mode="after")
    def _says_something_once(self) -> Self:
        if not (self.create or self.existing or self.category):
            raise ValueError("there is nothing to do in it")
        handles = Counter(collection.handle for collection in self.create)
        if twice := [handle for handle, count in handles.items() if count > 1]:
            raise ValueError(f"would be created twice: {', '.join(twice)}")
        return self


def read_data(path: Path | None) -> AssignmentData:
    """The data in a TOML file; the demo shop's when there is no path.

    Raises:
        DataError: the file cannot be read, or what it says cannot be done.
    """
    try:
        text = path.read_text("utf-8") if path else _demo()
        return AssignmentData.model_validate(tomllib.loads(text))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        problems = "".join(f"\n  {_place(problem['loc'])}{problem['msg']}" for problem in error.errors())
        raise DataError(f"{path} cannot be used:{problems.replace('Value error, ', '')}") from error


def _handle_of(title: str) -> str:
    """The title in lower case with hyphens (spec: Catalog-assignment procedure 4).

    Where accents or signs are left that no handle has, it is the one that the shop makes of the title. Empty where
    that has nothing to make it of.
    """
    plain = title.lower().replace(" & ", "-").replace(" ", "-")
    return plain if is_handle(plain) else handle_from(title)


def _demo() -> str:
    return resources.files(__package__).joinpath("demo.toml").read_text("utf-8")


def _place(location: tuple[int | str, ...]) -> str:
    """Where in the file: `create[2].title: `."""
    path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.lstrip('.')}: " if path else ""
