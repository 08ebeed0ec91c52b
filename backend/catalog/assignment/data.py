"""The assignment file, which lists collections, a category and products (spec: Catalog-assignment procedure 3)."""

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

from backend.catalog.handles import is_handle, make_handle

PRODUCT_ID = "prod_"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]
Products = Annotated[list[Text], Field(min_length=1)]
"""Product ids (`prod_…`) or handles."""


class DataError(SystemExit):
    """The data file is unusable. The message is printed without a traceback."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CollectionToCreate(_Section):
    """A collection with its products. It is created if the shop has no collection with this title."""

    title: Text
    products: Products

    @field_validator("title")
    @classmethod
    def _check_handle(cls, title: str) -> str:
        if not _make_handle(title):
            raise ValueError("has no letter or digit for a handle")
        return title

    @property
    def handle(self) -> str:
        """The handle for a new collection."""
        return _make_handle(self.title)


class ExistingTarget(_Section):
    """An existing collection or category, by its id or its handle, and the products to add."""

    id: Text | None = None
    handle: Text | None = None
    products: Products

    @model_validator(mode="after")
    def _check_name(self) -> Self:
        if (self.id is None) == (self.handle is None):
            raise ValueError("needs either `id` or `handle`")
        return self

    @property
    def name(self) -> str:
        """The id or the handle, whichever the file has."""
        return self.id or self.handle or ""


class AssignmentData(_Section):
    """Content of the assignment file.

    It lists the collections to create, and the products to add to existing collections or to a category.
    """

    create: list[CollectionToCreate] = []
    existing: list[ExistingTarget] = []
    category: ExistingTarget | None = None

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if not (self.create or self.existing or self.category):
            raise ValueError("it assigns nothing")
        handles = Counter(collection.handle for collection in self.create)
        if twice := [handle for handle, count in handles.items() if count > 1]:
            raise ValueError(f"would be created twice: {', '.join(twice)}")
        return self


def read_data(path: Path | None) -> AssignmentData:
    """Read the TOML file; without a path, the demo shop's file.

    Raises:
        DataError: the file cannot be read, or its content is invalid.
    """
    try:
        text = path.read_text("utf-8") if path else _read_demo_data()
        return AssignmentData.model_validate(tomllib.loads(text))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        problems = "".join(
            f"\n  {_format_location(problem['loc'])}{problem['msg']}" for problem in error.errors()
        )
        raise DataError(f"{path} cannot be used:{problems.replace('Value error, ', '')}") from error


def _make_handle(title: str) -> str:
    """Return the title in lower case with hyphens (spec: Catalog-assignment procedure 4).

    If the result is not a valid handle, for example because of accents, return the result of `make_handle` instead.
    That may be an empty text.
    """
    plain = title.lower().replace(" & ", "-").replace(" ", "-")
    return plain if is_handle(plain) else make_handle(title)


def _read_demo_data() -> str:
    return resources.files(__package__).joinpath("demo.toml").read_text("utf-8")


def _format_location(location: tuple[int | str, ...]) -> str:
    """Return the position in the file as a prefix of a message, such as `create[2].title: `."""
    path = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{path.lstrip('.')}: " if path else ""
