"""Rerun failed browser tests alone: `python tools/second_try.py`, after a run that failed.

With four browsers on two cores, a browser is sometimes too late for a test on slow machines. One or two such tests
get a second try with the machine to themselves; the second result counts. Each test that needed it is printed,
because it or the shop has a race condition. Tests without a browser get no second try.
"""

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
"""File where pytest stores the failed tests, as the keys of a JSON object."""
BROWSER_TESTS = "tests/e2e/"
MAX_RETRIED_TESTS = 2
"""Maximum number of failures that can be accidents."""


def main() -> None:
    """Rerun the tests; exit with 1 if there is nothing to rerun, or if one fails again."""
    tests: list[str] = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if not can_be_retried(tests):
        sys.exit(1)
    print("\nFailed with other tests running, retried alone:\n  " + "\n  ".join(tests), flush=True)
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-n0", *tests], cwd=ROOT))


def can_be_retried(tests: Collection[str]) -> bool:
    """Return True if the failures are few and all of browser tests.

    Args:
        tests: the ids of the failed tests.
    """
    return 0 < len(tests) <= MAX_RETRIED_TESTS and all(test.startswith(BROWSER_TESTS) for test in tests)


if __name__ == "__main__":
    main()
