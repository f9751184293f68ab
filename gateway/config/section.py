"""What every table of the configuration has in common."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of the configuration: typed strictly, closed to unknown keys, and never changed."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, strict=True, validate_default=True, hide_input_in_errors=True
    )
