"""Where settings come from beside the environment: a `.env` file, and files that hold one secret each.

Precedence: a variable of the environment, then the file that NAME_FILE names (in the environment or in `.env`), then
`.env`. The `.env` is the one beside the project, whatever folder a command is called from; ENV_FILE names another, and
when it is empty there is none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource

SUFFIX = "_file"
"""Of a name whose value is the path of a file that holds the setting's value."""


def _project() -> Path:
    """The folder that holds the project; of an installed package, which has none, the working folder."""
    folder = Path(__file__).resolve().parents[3]
    return folder if (folder / "pyproject.toml").is_file() else Path.cwd()


PROJECT = _project()
"""Relative paths in settings are relative to it: a command called from another folder speaks to the same shop."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """In place of a value whose file cannot be read."""

    name: str
    reason: str


class EnvFileSource(DotEnvSettingsSource):
    """The `.env` file; names in it that nobody knows are for `unknown_names` to find."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        named = EnvSettingsSource(settings_cls).env_vars.get("env_file")
        file = PROJECT / ".env" if named is None else PROJECT / named if named else None
        super().__init__(settings_cls, env_file=file, dotenv_filtering="only_existing")


class SecretFileSource(EnvSettingsSource):
    """The content of the files that NAME_FILE names, without the line's end."""

    def _load_env_vars(self) -> Mapping[str, str | None]:
        named = {**EnvFileSource(self.settings_cls).env_vars, **super()._load_env_vars()}
        found: dict[str, str | None] = {}
        for name in self.settings_cls.model_fields:
            path = named.get(name + SUFFIX)
            if path:
                found[name] = _content((name + SUFFIX).upper(), PROJECT / path)  # type: ignore[assignment]  # Unreadable is told by validation
        return found


def unknown_names(settings_cls: type[BaseSettings], known: Iterable[str]) -> list[str]:
    """A line for each name in `.env` that is none of these (in lower case), with the nearest that is one."""
    names = {*known, *(name + SUFFIX for name in known)}
    lines = []
    for name in EnvFileSource(settings_cls).env_vars:
        if name not in names:
            near = get_close_matches(name, sorted(names), n=1)
            hint = f": {near[0].upper()} is meant?" if near else ""
            lines.append(f"{name.upper()} in .env is no setting{hint}")
    return lines


def _content(name: str, path: Path) -> str | Unreadable:
    try:
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        return Unreadable(name, type(error).__name__)
