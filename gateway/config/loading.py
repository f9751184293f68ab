"""From a file and the environment to `Settings`, or to every fault at once."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gateway.config.bounded import TooLarge, read_bounded
from gateway.config.doubts import doubts
from gateway.config.environment import overlay
from gateway.config.problems import describe
from gateway.config.sections import OPENAI_KEY
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
) -> Settings:
    """The settings of this machine. `config` and `state` are what the command line named.

    Raises ConfigError with one line for every fault. That a secret can't be read is no fault here: who uses
    secrets asks `Settings.missing_secrets`.
    """
    environ = os.environ.copy() if environ is None else dict(environ)
    state = state or environ.get("MNEME_STATE") or None
    source = _find(config, state=state, environ=environ)
    document = _read(source) if source else {}
    context = {"environ": environ, "directory": source.absolute().parent if source else Path.cwd()}
    origins = overlay(document, environ, context)
    # The two defaults that depend on the environment: those of the models were made at import.
    _section(document, "gateway").setdefault("state", _DEFAULT_STATE)
    _section(document, "llm").setdefault("api_key", OPENAI_KEY)
    if state is not None:
        _section(document, "gateway")["state"] = str(Path(state).expanduser().absolute())
    settings = _validate(document, context, source=source, origins=origins)
    settings._source = source  # noqa: SLF001 - made here, and frozen from here on
    settings._environ = environ  # noqa: SLF001 - the same
    settings._warnings = tuple(doubts(settings, environ))  # noqa: SLF001 - the same
    return settings


def named_file(config: str | Path | None, *, environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that the command line or the environment names, whether or not it exists."""
    environ = os.environ if environ is None else environ
    name = config or environ.get("MNEME_CONFIG")
    return Path(name).expanduser() if name else None


def _find(config: str | Path | None, *, state: str | Path | None, environ: Mapping[str, str]) -> Path | None:
    """The file: named by hand, by the environment, here, or in the state directory."""
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
) -> Settings:
    try:
        return Settings.model_validate(document, context=context)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise ConfigError([describe(fault, file=source, origins=origins) for fault in faults]) from None
