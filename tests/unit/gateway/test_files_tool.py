from pathlib import Path

import pytest

from gateway.errors import ToolError
from gateway.tools.files import FilesTool
from gateway.tools.tool import ToolContext
from memory.audience import audience_directory
from memory.longterm.files import LongTermFiles
from tests.helpers.journals import inbound

ANN, BEN = "person-ann", "person-ben"
STEPS = "---\nname: rent\ndescription: pay the rent\n---\n\n1. Ask for the amount.\n2. Write to the landlord."


@pytest.fixture
def state(tmp_path: Path) -> Path:
    own, shared = audience_directory(tmp_path, ANN), tmp_path / "memory" / "shared"
    for path, text in {
        own / "MEMORY.md": "- Ann has a boat.",
        own / "skills" / "rent" / "SKILL.md": STEPS,
        own / "skills" / "tea" / "SKILL.md": "Ann's tea.",
        shared / "skills" / "tea" / "SKILL.md": "Everybody's tea.",
        audience_directory(tmp_path, BEN) / "MEMORY.md": "- Ben hates boats.",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


async def read(state: Path, name: str = "", *, audience: str = ANN) -> str:
    context = ToolContext(
        session="telegram:42",
        audience=audience,
        turn_id="t",
        call_id="t/1/1",
        role="owner",
        seq=1,
        origin=inbound("m1"),
    )
    return await FilesTool(LongTermFiles(state)).run({"name": name}, context)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rent", STEPS),
        ("skills/rent/SKILL.md", STEPS),
        ("MEMORY.md", "- Ann has a boat."),
        ("tea", "Ann's tea."),
    ],
)
async def test_a_file_is_read_whole(state: Path, name: str, text: str) -> None:
    assert await read(state, name) == text


async def test_what_there_is_is_listed(state: Path) -> None:
    assert await read(state) == "There is: MEMORY.md, tea, rent"
    assert await read(state, audience="person-carl") == "There is: tea"


@pytest.mark.parametrize("name", ["USER.md", "../person-ben/MEMORY.md", "/etc/passwd", "skills/../MEMORY.md"])
async def test_names_lead_nowhere_else(state: Path, name: str) -> None:
    with pytest.raises(ToolError, match=r"There is: MEMORY\.md, tea, rent"):
        await read(state, name)
