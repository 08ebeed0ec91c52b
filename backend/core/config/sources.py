"""Sources of settings in addition to the environment: a `.env` file, and files that contain one secret each.

Precedence: a variable of the environment, then the file that NAME_FILE names (in the environment or in `.env`),
then `.env`. The `.env` is in the project's folder, even if a command is called from another folder. ENV_FILE names
another file; if ENV_FILE is empty, no such file is read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource

from backend.core.config.problems import ProblemKind, SettingProblem, create_problem

SUFFIX = "_file"
"""Suffix of a name whose value is the path of a file that holds the setting's value."""


def _find_project() -> Path:
    """Return the project's folder; for an installed package, which has none, the working folder."""
    folder = Path(__file__).resolve().parents[3]
    return folder if (folder / "pyproject.toml").is_file() else Path.cwd()


PROJECT = _find_project()
"""Base of relative paths in settings, so that a command uses the same shop from every folder."""


@dataclass(frozen=True, slots=True)
class UnreadableValue:
    """Placeholder for a value whose file cannot be read."""

    name: str
    reason: str


class EnvFileSource(DotEnvSettingsSource):
    """The `.env` file. `unknown_names` reports names in it that are not settings."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        named = EnvSettingsSource(settings_cls).env_vars.get("env_file")
        file = PROJECT / ".env" if named is None else PROJECT / named if named else None
        super().__init__(settings_cls, env_file=file, dotenv_filtering="only_existing")


class SecretFileSource(EnvSettingsSource):
    """Source of settings in files: `X_FILE` has the path of the file with the value of `X`.

    The line break at the end of a file is removed.
    """

    def _load_env_vars(self) -> Mapping[str, str | None]:
        named = {**EnvFileSource(self.settings_cls).env_vars, **super()._load_env_vars()}
        found: dict[str, str | None] = {}
        for name in self.settings_cls.model_fields:
            path = named.get(name + SUFFIX)
            if path:
                found[name] = _read_content((name + SUFFIX).upper(), PROJECT / path)  # type: ignore[assignment]  # validation reports Unreadable
        return found


def unknown_names(
    settings_cls: type[BaseSettings], known: Iterable[str], prefixes: tuple[str, ...]
) -> list[SettingProblem]:
    """Return a problem for each name in `.env` that is no setting, with the closest known name.

    Args:
        settings_cls: the class whose `.env` is read.
        known: the names of all settings, in lower case.
        prefixes: beginnings of names that belong to other programs.
    """
    names = {*known, *(name + SUFFIX for name in known)}
    problems = []
    for name in EnvFileSource(settings_cls).env_vars:
        if name not in names and not name.startswith(prefixes):
            closest = get_close_matches(name, sorted(names), n=1)
            kind = ProblemKind.MISSPELT_NAME if closest else ProblemKind.UNKNOWN_NAME
            problems.append(create_problem(kind, name=name.upper(), closest="".join(closest).upper()))
    return problems


def _read_content(name: str, path: Path) -> str | UnreadableValue:
    try:
        return path.read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        return UnreadableValue(name, type(error).__name__)
