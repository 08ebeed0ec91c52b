"""Runs the browser tests that failed once more, by themselves: `python tools/second_try.py`, after a run that failed.

A browser beside three others on two cores is sometimes too late for a test, on a machine that is not ours. One or two
such tests get one more try with the machine to themselves; what fails then has failed. Every test that needed it is
named: it has a race of its own, or found one in the shop. Tests without a browser get none.
"""

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
"""Where pytest notes what failed, as a JSON object whose keys are the tests."""
BROWSER_TESTS = "tests/e2e/"
MOST = 2
"""More failures than this are no accident."""


def main() -> None:
    """Run them; exit with 1 when there is nothing to try again, or when one fails again."""
    tests: list[str] = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    if not may_be_tried_again(tests):
        sys.exit(1)
    print("\nFailed beside the others, tried once more alone:\n  " + "\n  ".join(tests), flush=True)
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-n0", *tests], cwd=ROOT))


def may_be_tried_again(tests: Collection[str]) -> bool:
    """Whether these are few, and all of a browser.

    Args:
        tests: the ids of what failed.
    """
    return 0 < len(tests) <= MOST and all(test.startswith(BROWSER_TESTS) for test in tests)


if __name__ == "__main__":
    main()
