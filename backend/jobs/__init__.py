"""Background jobs: one table, one way to claim jobs, one back-off, and one worker in each process.

A job is enqueued in the caller's transaction, so it exists if and only if that transaction was committed. Methods
that run jobs are marked with `@job`, `@job_batch` or `@periodic`; the shop's `Worker` gets the objects that have
such methods.
"""

from backend.jobs.clock_changes import MomentsPulledBack
from backend.jobs.kinds import Finished, JobFailed, JobRun, RetryLater, RunAgain, job, job_batch, periodic
from backend.jobs.queue import JobStats, cancel_job, dismiss_job, enqueue, read_stats, retry_job
from backend.jobs.worker import Worker

__all__ = [
    "Finished",
    "JobFailed",
    "JobRun",
    "JobStats",
    "MomentsPulledBack",
    "RetryLater",
    "RunAgain",
    "Worker",
    "cancel_job",
    "dismiss_job",
    "enqueue",
    "job",
    "job_batch",
    "periodic",
    "read_stats",
    "retry_job",
]
