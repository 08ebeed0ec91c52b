"""Compiled Jinja templates that all shops of a worker share."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import jinja2
import pytest
from jinja2.bccache import Bucket


class _CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates by their file and the checksum of its text."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Set the bucket's code if the template was compiled before."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the bucket's code."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


@contextmanager
def share_compiled_templates() -> Iterator[None]:
    """Share the compiled templates between all environments with the same options.

    Each test has its own shop, and each shop reads its templates. Compiling the templates of one mail takes
    longer than a usual test.
    """
    caches: dict[str, _CompiledTemplates] = defaultdict(_CompiledTemplates)

    class SharedEnvironment(jinja2.Environment):
        def __init__(self, **options: Any) -> None:
            compiler_options = {name: value for name, value in options.items() if name != "loader"}
            super().__init__(**options, bytecode_cache=caches[repr(sorted(compiler_options.items()))])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("jinja2.Environment", SharedEnvironment)
        yield
