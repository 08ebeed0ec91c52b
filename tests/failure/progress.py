"""Progress of a long run of a seed, stored so that a later run continues from there."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self


@dataclass
class Progress:
    """The seed of a run, and what went wrong in it so far."""

    seed: int
    failures: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path, seed: int) -> Self:
        """Return the progress of an earlier run; a new one without it."""
        file = folder / f"{seed}.json"
        return cls(**json.loads(file.read_text())) if file.exists() else cls(seed)

    def write(self, folder: Path) -> None:
        """Store the progress, whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{self.seed}.part"
        part.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False))
        part.replace(folder / f"{self.seed}.json")
