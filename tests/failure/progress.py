"""Progress of a long run of a seed, stored so that a later run continues from there."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self


@dataclass
class Progress:
    """The seed of a run, and its failures so far."""

    seed: int
    failures: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path, seed: int) -> Self:
        """Return the progress of an earlier run, or new progress if there is none."""
        file = folder / f"{seed}.json"
        return cls(**json.loads(file.read_text())) if file.exists() else cls(seed)

    def write(self, folder: Path) -> None:
        """Store the progress atomically."""
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{self.seed}.part"
        part.write_text(json.dumps(asdict(self), indent=2, ensure_ascii=False))
        part.replace(folder / f"{self.seed}.json")
