"""What the jobs tell the packages above them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JobFailed:
    """A job kept failing and is given up: a person must look. Published in the transaction that gives it up."""

    job_id: int
    kind: str
    key: str | None
    error: str
