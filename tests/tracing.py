"""Coverage through SQLAlchemy's greenlets without coverage.py's own mode for them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from greenlet import greenlet, settrace


@contextmanager
def trace_outside_greenlets() -> Iterator[None]:
    """Pause the thread's tracer, if there is one, while a greenlet runs.

    A tracer has one stack of frames, so it must not see a greenlet that is left before it returns. Coverage.py's
    own mode has a stack for each greenlet but looks it up at each call, which doubles the time of a traced test.

    Listeners that SQLAlchemy calls while it runs a statement or commits are therefore not measured.
    """
    tracer = sys.gettrace()
    if tracer is None:
        yield
        return

    def select_tracer(_event: str, switch: tuple[greenlet, greenlet]) -> None:
        _, target = switch
        sys.settrace(tracer if target.parent is None else None)

    settrace(select_tracer)
    try:
        yield
    finally:
        settrace(None)
