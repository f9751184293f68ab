"""What the daemon writes about itself: JSON lines to a rotated file or stderr, coloured lines on a terminal.

Neither secrets nor the words of messages ever get through: fields that hold such words are dropped, everything
else passes the redactor, exceptions included.
"""

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from gateway.service.logfile import RotatedFile
from gateway.service.redaction import Redactor

_LEVELS = logging.getLevelNamesMapping()
_SPOKEN = frozenset({"text", "content", "prompt", "messages", "arguments", "quote"})
"""Fields in which words of people or models would stand."""
_LONGEST_FIELD = 8_000
_DEEPEST = 6
_JSON_INTEGERS = 2**63
"""What the renderer can write as a number."""


def under_a_collector(environ: Mapping[str, str]) -> bool:
    """Whether somebody keeps our stderr: journald, or the runtime of a container (`container` is the convention)."""
    names = ("JOURNAL_STREAM", "INVOCATION_ID", "KUBERNETES_SERVICE_HOST", "container")
    return any(environ.get(name) for name in names)


class _Output:
    """Where lines go; one for the process, so that loggers made earlier follow a new configuration."""

    def __init__(self) -> None:
        self.redact = Redactor()
        self.level = logging.INFO
        self.file: RotatedFile | None = None
        self.stream: TextIO | None = None
        self.console: structlog.dev.ConsoleRenderer | None = None

    def msg(self, event: EventDict) -> None:
        """Write one event to every place that is open."""
        if self.file is not None:
            self.file.write(_as_line(event))
        if self.stream is not None:
            line = self.console(None, "", dict(event)) + "\n" if self.console else _as_line(event).decode()
            # A terminal that was closed, a reader that went: a line that can't be written costs nothing but itself.
            with suppress(OSError):
                self.stream.write(line)
                self.stream.flush()

    log = debug = info = warning = error = critical = exception = msg


_output = _Output()


def configure(
    *,
    level: str = "info",
    file: Path | None = None,
    stream: TextIO | None = None,
    console: bool = False,
    secrets: Iterable[str] = (),
) -> None:
    """Send events of this level and above to `file` and to `stream`; `console` colours the stream's lines.

    May be called again.
    """
    close()
    adjust(level=level, secrets=secrets)
    _output.file = RotatedFile(file) if file else None
    _output.stream = stream
    _output.console = (
        structlog.dev.ConsoleRenderer(
            colors=stream is not None and stream.isatty(), timestamp_key="at", pad_event_to=0, sort_keys=False
        )
        if console
        else None
    )
    structlog.configure(
        processors=_PROCESSORS,
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
        logger_factory=lambda *_: _output,
        cache_logger_on_first_use=True,
    )
    _adopt_libraries()


def adjust(*, level: str, secrets: Iterable[str]) -> None:
    """Go by another level and other secrets from now on, also for loggers that were used before."""
    _output.level = _LEVELS[level.upper()]
    _output.redact = Redactor(secrets)


def close() -> None:
    """Let go of the file, and of what libraries say."""
    root = logging.getLogger()
    root.handlers = [handler for handler in root.handlers if not isinstance(handler, _Adopted)]
    logging.captureWarnings(capture=False)
    if _output.file is not None:
        _output.file.close()
        _output.file = None


def redact(text: str) -> str:
    """The text without the secrets that the log knows: for what is shown or stored outside of the log."""
    return _output.redact(text)


def _drop_quiet(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A logger keeps the level that it was first used with; this one may change."""
    if _LEVELS[event["level"].upper()] < _output.level:
        raise structlog.DropEvent
    return event


def _clean_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    cleaned = _clean(event, 0)
    return cleaned if isinstance(cleaned, dict) else {}


def _clean(value: object, depth: int) -> object:
    """The value as JSON can hold it: no spoken fields, no secrets, nothing endless."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < _JSON_INTEGERS else str(value)
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {
            _output.redact(str(key)): _clean(entry, depth + 1)
            for key, entry in value.items()
            if key not in _SPOKEN or isinstance(entry, bool | int | float)
        }
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        return [_clean(entry, depth + 1) for entry in value]
    text = _output.redact(value if isinstance(value, str) else str(value))
    text = text if len(text) <= _LONGEST_FIELD else text[:_LONGEST_FIELD] + "…"
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _hand_over(
    _logger: WrappedLogger, _method: str, event: EventDict
) -> tuple[tuple[EventDict], dict[str, Any]]:
    return (event,), {}


def _as_line(event: EventDict) -> bytes:
    return orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS, default=str)


class _Adopted(logging.Handler):
    """Takes what libraries log through the standard module into our own lines."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record of a library; one whose arguments don't fit its text is written without them."""
        try:
            said = record.getMessage()
        except (TypeError, ValueError):
            said = str(record.msg)
        log = structlog.get_logger()
        write = log.error if record.levelno >= logging.ERROR else log.warning
        write("library_spoke", library=record.name, said=said, exc_info=record.exc_info)


def _adopt_libraries() -> None:
    """Warnings and worse only: below that, libraries print what they send and receive."""
    root = logging.getLogger()
    root.addHandler(_Adopted(logging.WARNING))
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


_PROCESSORS: list[Processor] = [
    structlog.processors.add_log_level,
    _drop_quiet,
    structlog.contextvars.merge_contextvars,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    structlog.processors.format_exc_info,
    _clean_event,
    _hand_over,
]
"""One list for the process: loggers that were used before keep hold of it."""
