"""The `mneme.toml` that `init` writes: every key with its default, commented out, read off the models."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from gateway.config.channels import SlackWorkspace, Telegram, Web
from gateway.config.people import Access
from gateway.config.section import Section
from gateway.config.sections import Budgets, Gateway, Llm, Memory, Sessions, Subagents, Voice
from gateway.config.tools import Tools

_HEAD = """\
# Mneme's configuration. A line that begins with # holds the default; take the # away to change it.
# Any value can also be given as MNEME_SECTION__KEY in the environment, for instance MNEME_LLM__MODEL.
# Write a secret as "env:NAME" or "file:PATH". `mneme doctor` says whether everything is right.
"""
_TABLES: Mapping[str, type[Section]] = {
    "gateway": Gateway,
    "llm": Llm,
    "sessions": Sessions,
    "memory": Memory,
    "channels.telegram": Telegram,
    "channels.slack": SlackWorkspace,
    "channels.web": Web,
    "access": Access,
    "tools": Tools,
    "voice": Voice,
    "budgets": Budgets,
    "subagents": Subagents,
}
_PERSON = """\
# One table for each person: one person, one memory, on every channel.
# [people.ann]
# telegram = "1001"             # Telegram's number of the person, not the username
# slack = "U01ABC"              # Slack's member id
# role = "owner"                # owner | member
# timezone = "Europe/Berlin"
"""
_SHOWN = {"state": '"~/.mneme"'}
_COMMENT_COLUMN = 32


def template(values: Mapping[str, str]) -> str:
    """The text of the file; `values` are key paths that are set, such as `{"channels.telegram.token": "env:X"}`."""
    parts = [_HEAD]
    for table, model in _TABLES.items():
        lines = [f"[{table}]", *(_line(table, key, model, values) for key in _keys(model))]
        parts.append("\n".join(lines) + "\n")
        if table == "memory":
            parts.append(_PERSON)
    return "\n".join(parts)


def _keys(model: type[BaseModel]) -> list[str]:
    return [key for key in model.model_fields if not (model is Tools and key == "mcp")]


def _line(table: str, key: str, model: type[BaseModel], values: Mapping[str, str]) -> str:
    chosen = values.get(f"{table}.{key}")
    field = model.model_fields[key]
    setting = f"{key} = {json.dumps(chosen, ensure_ascii=False) if chosen is not None else _default(key, field.default)}"
    line = setting if chosen is not None else f"# {setting}"
    return f"{line:<{_COMMENT_COLUMN - 1}} # {field.description}" if field.description else line


def _default(key: str, value: Any) -> str:
    """The default as TOML writes it; None is "auto"."""
    if key in _SHOWN:
        return _SHOWN[key]
    if value is None:
        return '"auto"'
    if isinstance(value, tuple):
        return json.dumps([*value], ensure_ascii=False)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)
