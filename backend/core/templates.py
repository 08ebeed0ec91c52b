"""Templates of pages and mails. Jinja is imported at the first use, to save memory in an idle shop."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from jinja2 import Environment

Templates: TypeAlias = "Environment"


def read_templates(folders: Sequence[Path], *, is_markup: bool = True) -> Templates:
    """Return the templates in these folders. If several folders have the same template, the first folder is used.

    An undefined variable raises an error. Values are escaped in markup and inserted unchanged in plain text.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=is_markup,  # noqa: S701 - plain text has no markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
