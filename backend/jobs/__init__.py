"""Later work: one table, one claim, one back-off, one worker.

A job is enqueued in the caller's transaction: it exists if and only if what asked for it was committed. Methods that
do the work are marked with `@job` or `@periodic`; the shop's `Worker` is given the objects that have them.
"""

from backend.jobs.clock_changes import MomentsPulledBack
from backend.jobs.kinds import JobFailed, JobRun, RetryLater, RunAgain, job, job_batch, periodic
from backend.jobs.queue import JobStats, cancel, dismiss, enqueue, run_again, stats
from backend.jobs.worker import Worker

__all__ = [
    "JobFailed",
    "JobRun",
    "JobStats",
    "MomentsPulledBack",
    "RetryLater",
    "RunAgain",
    "Worker",
    "cancel",
    "dismiss",
    "enqueue",
    "job",
    "job_batch",
    "periodic",
    "run_again",
    "stats",
]
