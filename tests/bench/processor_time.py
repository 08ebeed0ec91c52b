"""Processor time of a process and its descendants, from Linux's `/proc`."""

import os
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def measure_processor_seconds(pid: int) -> float:
    """Return the user and system time of a process and its descendants, including those that have ended."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended in the meantime
            continue
        process = int(entry.name)
        children.setdefault(int(fields[1]), []).append(process)
        ticks[process] = sum(map(int, fields[11:15]))  # its own time, and that of children that have ended
    total, waiting = 0, [pid]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += children.get(process, [])
    return total / TICKS_PER_SECOND
