"""The section `tools`: what the model may do, and who may ask for it."""

from typing import Self

from pydantic import Field, model_validator

from gateway.config.section import Section
from gateway.config.values import Name, Strings, did_you_mean, refuse

KNOWN = ("recall", "remember", "spawn", "schedule", "files", "fetch", "search", "send_file", "shell")
_MEMBER = ("recall", "remember", "spawn", "schedule", "fetch", "search")


class McpServer(Section):
    """A server of tools: a program that we start, or an address."""

    command: Strings = ()
    url: str = ""

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise refuse('either command = ["…"] or url = "https://…"')
        if self.url and not self.url.startswith(("http://", "https://")):
            raise refuse("http://… or https://…", key="url")
        return self


class Tools(Section):
    """Which tools exist, which of them members may use, and which need the owner's yes."""

    enabled: Strings = tuple(name for name in KNOWN if name != "shell")
    member: Strings = Field(default=_MEMBER, description="what members may use")
    approve: Strings = Field(default=("shell",), description="needs the owner's yes")
    search: str = Field(default="duckduckgo", description="or the address of a SearXNG")
    shell: bool = Field(default=False, description="needs bubblewrap; not inside the hardened unit")
    mcp: dict[Name, McpServer] = Field(default={})

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for key in ("enabled", "member", "approve"):
            for name in getattr(self, key):
                if not self._is_known(name):
                    raise refuse(
                        f'names of tools ("{name}" is none)', key=key, hint=did_you_mean(name, [*KNOWN])
                    )
        if self.search != "duckduckgo" and not self.search.startswith(("http://", "https://")):
            raise refuse('"duckduckgo" or http://…, https://…', key="search")
        return self

    def _is_known(self, name: str) -> bool:
        """One of ours, or a tool of a configured server: its name, or a name that begins with it."""
        return name in KNOWN or name.removeprefix("mcp_").startswith(tuple(self.mcp))
