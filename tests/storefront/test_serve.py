"""What the process that serves is told before it imports anything."""

import os
import re
import subprocess
import sys

from storefront.serve import SERVER_MEMORY


def test_the_server_gives_memory_back_as_it_is_told() -> None:
    """Granian's allocator prints what it was told: of another allocator, or under another name, it would print less."""
    environment = {**os.environ, "_RJEM_MALLOC_CONF": f"{SERVER_MEMORY},stats_print:true"}
    said = subprocess.run(
        [sys.executable, "-c", "import granian._granian"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stderr

    for option in SERVER_MEMORY.split(","):
        name, value = option.split(":")
        assert re.search(rf"^\s*opt\.{name}: {value}\b", said, re.MULTILINE), option
