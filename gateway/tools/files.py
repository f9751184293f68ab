"""The `files` tool: what is written in the long-term files of whoever is answered, whole."""

from collections.abc import Mapping
from typing import Any

from gateway.errors import ToolError
from gateway.llm.client import ToolSchema
from gateway.tools.tool import ToolContext
from memory.longterm.files import LongTerm, LongTermFiles
from memory.messages import Provenance


class FilesTool:
    """Reads, and reads what belongs to the audience alone (P13); it takes names, never paths."""

    provenance = Provenance.FILE
    schema = ToolSchema(
        name="files",
        description=(
            "Read one of your long-term files whole: MEMORY.md, USER.md, SOUL.md, or a skill by its name. "
            "Of a skill you know only when it applies; read its steps before you follow them. "
            "Without `name` you get the list."
        ),
        parameters={
            "type": "object",
            "properties": {"name": {"type": "string", "description": "a file, or the name of a skill"}},
        },
    )

    def __init__(self, files: LongTermFiles) -> None:
        self._files = files

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """See the schema; ToolError lists the names where there is no such file."""
        texts = _texts(await self._files.read(context.audience))
        name = str(arguments.get("name") or "").strip().removesuffix("/SKILL.md").removeprefix("skills/")
        if not name:
            return _listed(texts)
        text = texts.get(name)
        if text is None:
            raise ToolError(f"There is no {name!r}. {_listed(texts)}")
        return text


def _texts(found: LongTerm) -> dict[str, str]:
    """What there is, by name; a skill of the audience's own stands for one of all that has its name."""
    named = {"MEMORY.md": found.memory, "USER.md": found.user, "SOUL.md": found.soul}
    return {name: text for name, text in {**named, **{s.name: s.text for s in found.skills}}.items() if text}


def _listed(texts: Mapping[str, str]) -> str:
    return "There is: " + ", ".join(texts) if texts else "Nothing is written down yet."
