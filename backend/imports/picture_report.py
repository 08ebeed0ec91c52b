"""Report on the pictures that a spreadsheet names, compared with the pictures that were sent."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.importer.pictures import is_url
from backend.imports.import_validation import RowValidation
from backend.imports.models import ProductImportPicture
from backend.imports.picture_matching import list_picture_keys

MAX_NAMES = 20
"""Maximum number of names in each list of a report."""
PICTURE_MISSING = "picture missing"


@dataclass(frozen=True, slots=True)
class PictureReport:
    """Pictures that the rows of an import name, compared with the sent ones.

    Attributes:
        row_count: rows that name a picture.
        complete_count: rows whose pictures were all found; those at web addresses count as found.
        missing: file names of pictures that were not sent. A long list is cut off; `missing_count` counts all.
        unnamed: file names of sent pictures that no row names. A long list is cut off; `unnamed_count` counts all.
    """

    row_count: int = 0
    complete_count: int = 0
    missing: list[str] = field(default_factory=list)
    missing_count: int = 0
    unnamed: list[str] = field(default_factory=list)
    unnamed_count: int = 0


@dataclass
class PictureCounter:
    """Counter of the pictures of an import's rows."""

    row_count: int = 0
    complete_count: int = 0
    missing: dict[str, None] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)

    def add_rows(self, validated: Iterable[RowValidation]) -> None:
        """Count the pictures that these rows name, and note which of them are missing."""
        for one in validated:
            names = one.row.get("pictures") or ()
            wrong = [problem for problem in one.problems if problem.code.startswith("picture ")]
            if names:
                self.row_count += 1
                self.complete_count += not wrong
            self.missing |= dict.fromkeys(
                problem.detail for problem in wrong if problem.code == PICTURE_MISSING
            )
            groups = (
                group
                for name in one.row.picture_names
                if not is_url(name)
                for group in list_picture_keys(name)
            )
            self.named |= {key for group in groups for key in group}

    async def build_report(self, session: AsyncSession, import_id: str) -> PictureReport:
        """Return the report on the counted rows and the import's sent pictures."""
        query = select(ProductImportPicture.name).where(
            ProductImportPicture.import_id == import_id, ProductImportPicture.problem == ""
        )
        names = (await session.execute(query.order_by(ProductImportPicture.name))).scalars()
        unnamed = [name for name in names if name not in self.named and not is_url(name)]
        return PictureReport(
            self.row_count,
            self.complete_count,
            list(self.missing)[:MAX_NAMES],
            len(self.missing),
            unnamed[:MAX_NAMES],
            len(unnamed),
        )
