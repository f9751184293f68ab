"""From a file and the environment to `Settings`, or to every fault at once."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gateway.config.bounded import TooLarge, read_bounded
from gateway.config.doubts import doubts
from gateway.config.environment import overlay
from gateway.config.problems import SECRETS, describe, placed
from gateway.config.schema import kind_at
from gateway.config.secret import Secret, is_reference
from gateway.config.sections import OPENAI_KEY, may_be_missing
from gateway.config.settings import Settings
from gateway.errors import ConfigError

FILE_NAME = "mneme.toml"
LARGEST_FILE = 1 << 20
"""In bytes: room for thousands of people and groups."""
_DEFAULT_STATE = "~/.mneme"


def load(
    config: str | Path | None = None,
    *,
    state: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    names_secrets: bool = False,
) -> Settings:
    """The settings of this machine. `config` and `state` are what the command line named.

    Raises ConfigError with one line for every fault. That a secret can't be read is no fault here: who uses
    secrets asks `Settings.missing_secrets`, and with `names_secrets` is told of them together with faults.
    """
    environ = os.environ.copy() if environ is None else dict(environ)
    state = state or environ.get("MNEME_STATE") or None
    source = find_file(config, state=state, environ=environ)
    document = _read(source) if source else {}
    context = {"environ": environ, "directory": source.absolute().parent if source else Path.cwd()}
    origins = overlay(document, environ, context)
    # The two defaults that depend on the environment: those of the models were made at import.
    _section(document, "gateway").setdefault("state", _DEFAULT_STATE)
    _section(document, "llm").setdefault("api_key", OPENAI_KEY)
    if state is not None:
        _section(document, "gateway")["state"] = str(Path(state).expanduser().absolute())
    settings = _validate(document, context, source=source, origins=origins, names_secrets=names_secrets)
    settings._source = source  # noqa: SLF001 - made here, and frozen from here on
    settings._environ = environ  # noqa: SLF001 - the same
    settings._origins = origins  # noqa: SLF001 - the same
    settings._warnings = tuple(doubts(settings, environ))  # noqa: SLF001 - the same
    return settings


def named_file(config: str | Path | None, *, environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that the command line or the environment names, whether or not it exists."""
    environ = os.environ if environ is None else environ
    name = config or environ.get("MNEME_CONFIG")
    return Path(name).expanduser() if name else None


def find_file(
    config: str | Path | None, *, state: str | Path | None, environ: Mapping[str, str] | None = None
) -> Path | None:
    """The file: named by hand, by the environment, here, or in the state directory."""
    environ = os.environ if environ is None else environ
    named = named_file(config, environ=environ)
    if named is not None:
        return named
    directory = state or environ.get("MNEME_GATEWAY__STATE") or _DEFAULT_STATE
    candidates = (Path(FILE_NAME), Path(directory).expanduser() / FILE_NAME)
    return next((path for path in candidates if path.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bounded(path, largest=LARGEST_FILE).decode("utf-8-sig"))
    except TooLarge as error:
        problem = f"is larger than {LARGEST_FILE >> 10} KiB: it is no configuration"
        raise ConfigError([f"{path}: {problem}"]) from error
    except FileNotFoundError as error:
        raise ConfigError([f"{path}: there is no such file; `mneme init` writes one"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError([f"{path}: byte {error.start}: expected UTF-8"]) from error
    except OSError as error:
        raise ConfigError([f"{path}: can't be read: {error.strerror}"]) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{path}: this is no valid TOML: {error}"]) from error


def _section(document: dict[str, Any], name: str) -> dict[str, Any]:
    section = document.setdefault(name, {})
    return section if isinstance(section, dict) else {}


def _validate(
    document: dict[str, Any],
    context: dict[str, Any],
    *,
    source: Path | None,
    origins: Mapping[tuple[str, ...], str],
    names_secrets: bool,
) -> Settings:
    try:
        return Settings.model_validate(document, context=context)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        problems = [describe(fault, file=source, origins=origins) for fault in faults]
        for path, value in _references(document) if names_secrets else ():
            secret = Secret(value, **context)
            if (problem := secret.problem()) and not may_be_missing(".".join(path), secret):
                problems.append(f"{placed(path, file=source, origins=origins)}: {problem}")
        raise ConfigError(problems) from None


def _references(table: Mapping[str, Any], *above: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every secret that is written as where to find it, also in a document that has faults."""
    for key, value in table.items():
        path = (*above, key)
        if isinstance(value, dict) and kind_at(path[:1]) is not None:
            yield from _references(value, *path)
        elif key in SECRETS and is_reference(value):
            yield path, value
