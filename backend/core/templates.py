"""Templates of pages and mails. Jinja is loaded by the first that is needed: a shop at rest holds none of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from jinja2 import Environment

Templates: TypeAlias = "Environment"


def read_templates(folders: Sequence[Path], *, is_markup: bool = True) -> Templates:
    """The templates of these folders, the first of which wins. They refuse names that they are not given.

    What is put into markup is escaped; into plain text it goes as it is.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=is_markup,  # noqa: S701 - plain text has no markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
