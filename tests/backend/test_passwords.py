"""Passwords are hashed in threads of the process that asks."""

import asyncio
import multiprocessing

from backend.passwords import hash_password, is_password


def _log_in(kept: str) -> None:
    assert asyncio.run(is_password("una clave larga", kept))


async def test_a_process_that_was_forked_after_a_hashing_answers_its_first_login() -> None:
    """A start makes the first member of staff, then forks the processes that serve."""
    kept = await hash_password("una clave larga")
    child = multiprocessing.get_context("fork").Process(target=_log_in, args=(kept,))
    child.start()
    await asyncio.to_thread(child.join, 60)
    if child.is_alive():
        child.kill()
    assert child.exitcode == 0
