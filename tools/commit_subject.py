"""Check the subjects of commits: `area: verb object`, imperative, at most 72 characters.

`python tools/commit_subject.py --file FILE` checks the message in a file; the hook `.githooks/commit-msg` calls it.
`python tools/commit_subject.py BASE..HEAD` checks the commits of a range; the workflow of a pull request calls it.
"""

import re
import subprocess
import sys
from pathlib import Path

MAX_LENGTH = 72
SUBJECT = re.compile(r"[a-z0-9][a-z0-9_/., -]*: (?P<verb>\S+) .+")
GENERATED = re.compile(r"Merge |Revert |fixup! |squash! ")
"""Subjects that Git itself writes."""
NOT_A_VERB = frozenset(
    {
        *("a", "an", "the", "all", "each", "every", "no", "its", "it", "this", "these", "one", "two"),
        *("what", "who", "whose", "how", "whether", "which", "where", "when", "why", "nothing", "nobody"),
        *("in", "on", "at", "of", "for", "from", "by", "with", "as", "is", "are"),
    }
)
NOT_IMPERATIVE = re.compile(r"[a-z]+(?:ed|ing|[^su]s)")
IMPERATIVE = frozenset(
    {"embed", "feed", "need", "seed", "shed", "speed", "bring", "ping", "ring", "string", "alias", "cross"}
)
"""Verbs that look like another form of a verb."""


def main(arguments: list[str]) -> None:
    """Print the problems of the subjects; exit with 1 if there is one."""
    if len(arguments) == 2 and arguments[0] == "--file":
        subjects = [Path(arguments[1]).read_text("utf-8").partition("\n")[0]]
    elif len(arguments) == 1 and ".." in arguments[0]:
        subjects = read_subjects(arguments[0])
    else:
        sys.exit("Usage: commit_subject.py --file FILE, or commit_subject.py BASE..HEAD")
    if problems := [f"“{subject}”: {problem}" for subject in subjects if (problem := find_problem(subject))]:
        sys.exit("\n".join(problems))


def read_subjects(commits: str) -> list[str]:
    """Return the subjects of a range of commits, without merges."""
    command = ["git", "log", "--no-merges", "--format=%s", commits]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def find_problem(subject: str) -> str | None:
    """Return what is wrong with a subject, or None."""
    if GENERATED.match(subject):
        return None
    if len(subject) > MAX_LENGTH:
        return f"it has {len(subject)} characters; at most {MAX_LENGTH} are allowed"
    if not (match := SUBJECT.fullmatch(subject)):
        return "write `area: verb object`, for example “cart: merge equal lines”"
    verb = match["verb"].lower()
    if verb in NOT_A_VERB or (verb not in IMPERATIVE and NOT_IMPERATIVE.fullmatch(verb)):
        return f"begin with a verb in the imperative, not with “{match['verb']}”"
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
