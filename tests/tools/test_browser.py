"""The browser tests use the Chromium that Playwright downloads if the machine has no other browser."""

import asyncio
import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from tools import browser


async def test_browser_of_playwright_is_started_if_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = await asyncio.to_thread(browser.find_browser)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(browser, "ON_PATH", ())
    monkeypatch.setattr(browser, "APPLICATIONS", ())
    async with async_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        assert tmp_path in own.parents
        with pytest.raises(FileNotFoundError, match="make browser"):
            await browser.launch(playwright)
        _put(own, f'#!/bin/sh\nexec "{here}" "$@"\n')
        started = await browser.launch(playwright)
        assert started.is_connected()
        await started.close()


@pytest.mark.parametrize(
    ("user_id", "system", "installed"),
    [
        (0, "debian", [browser.WITHOUT_WINDOWS]),
        (1000, "debian", []),  # a developer's own machine
        (0, "ubuntu", []),  # has no such package
    ],
)
def test_faster_browser_is_only_installed_by_root_on_debian(
    monkeypatch: pytest.MonkeyPatch, user_id: int, system: str, installed: list[str]
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "geteuid", lambda: user_id)
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: {"ID": system})
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: commands.append(command))
    monkeypatch.setattr(shutil, "which", lambda program: program if program == "apt-get" else None)
    monkeypatch.setattr(browser, "find_browser", lambda: "/usr/bin/chromium")
    browser.main()
    assert [command[-1] for command in commands if "install" in command] == installed


def _put(program: Path, text: str) -> None:
    program.parent.mkdir(parents=True)
    program.write_text(text)
    program.chmod(0o755)
