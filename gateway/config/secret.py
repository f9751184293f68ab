"""A secret is kept as where to find it, is read late, and never prints itself."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from gateway.config.bounded import TooLarge, read_bounded
from gateway.config.values import refuse
from gateway.errors import ConfigError

_ENV = "env:"
_FILE = "file:"
LARGEST_FILE = 64 << 10
"""In bytes: the longest keys in use have a tenth of it."""


def is_reference(value: object) -> bool:
    """Whether a value names where a secret is, instead of being one."""
    return isinstance(value, str) and any(
        value.strip().startswith(kind) and value.strip() != kind for kind in (_ENV, _FILE)
    )


class Secret:
    """`env:NAME`, `file:PATH` or the plain value; true when something is written there at all.

    It is read again at each `reveal`, so that a rotated file or key is picked up. A relative path is one beside
    the configuration file.
    """

    __slots__ = ("_directory", "_environ", "_reference")

    def __init__(
        self, reference: str = "", *, environ: Mapping[str, str] | None = None, directory: Path | None = None
    ) -> None:
        self._reference = reference.strip()
        self._environ = environ if environ is not None else {}
        self._directory = directory or Path()

    @property
    def is_plain(self) -> bool:
        """Whether the value itself is written in the configuration."""
        return bool(self) and not self._reference.startswith((_ENV, _FILE))

    def reveal(self) -> str:
        """The value; ConfigError with one line when nothing is there."""
        value, problem = self._look()
        if problem:
            raise ConfigError([problem])
        return value

    def reveal_if_there(self) -> str | None:
        """The value, or None where nothing is written or nothing stands behind the reference."""
        return self._look()[0] or None

    def problem(self) -> str | None:
        """What keeps the secret from being read, in words, or None."""
        return self._look()[1]

    def _look(self) -> tuple[str, str | None]:
        kind, name = self._split()
        if kind == _ENV:
            value = self._environ.get(name, "").strip()
            return value, None if value else f"the environment variable {name} is not set"
        if kind == _FILE:
            return self._read(self._directory / Path(name).expanduser())
        return name, None if name else "no secret is set"

    def _split(self) -> tuple[str, str]:
        for kind in (_ENV, _FILE):
            if self._reference.startswith(kind):
                return kind, self._reference.removeprefix(kind).strip()
        return "", self._reference

    @staticmethod
    def _read(path: Path) -> tuple[str, str | None]:
        try:
            # What isn't a file may never end, or never begin: opening a pipe would wait for its other end.
            if not path.is_file() and path.exists():
                return "", f"{path} is not a regular file"
            value = read_bounded(path, largest=LARGEST_FILE).decode().strip()
        except TooLarge:
            return "", f"the file {path} is larger than {LARGEST_FILE >> 10} KiB: it holds no secret"
        except (OSError, ValueError) as error:
            return "", f"the file {path} can't be read ({type(error).__name__})"
        return value, None if value else f"the file {path} is empty"

    def __bool__(self) -> bool:
        return bool(self._reference)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._reference == other._reference

    def __hash__(self) -> int:
        return hash(self._reference)

    def __repr__(self) -> str:
        return f"Secret({str(self)!r})"

    def __str__(self) -> str:
        return "**********" if self.is_plain else self._reference

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            cls._validate, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def _validate(cls, value: object, info: core_schema.ValidationInfo) -> Self:
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise refuse('"env:NAME", "file:PATH" or a text')
        if value.strip() in {_ENV, _FILE}:
            raise refuse(f'a name after "{value.strip()}"')
        context = info.context or {}
        return cls(value, environ=context.get("environ"), directory=context.get("directory"))
