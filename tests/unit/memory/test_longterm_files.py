import os
from pathlib import Path

import pytest

from memory.longterm.files import LongTerm, LongTermFiles, Skill
from memory.longterm.pages import MAX_BYTES
from tests.helpers.longterm import AUDIENCE


@pytest.fixture
def own(tmp_path: Path) -> Path:
    place = tmp_path / "memory" / AUDIENCE
    place.mkdir(parents=True)
    return place


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    place = tmp_path / "memory" / "shared"
    place.mkdir(parents=True)
    return place


async def test_each_file_has_its_place(tmp_path: Path, own: Path, shared: Path) -> None:
    for path, text in {
        shared / "AGENTS.md": "agents",
        shared / "SOUL.md": "calm",
        own / "SOUL.md": "warm",
        own / "USER.md": "Ann",
        own / "MEMORY.md": "- Wanda\n",
        own / "skills" / "sailing" / "SKILL.md": "---\nname: sailing\ndescription: 'How to sail'\n---\n",
        shared / "skills" / "tea" / "SKILL.md": "# Tea\n\nHow to make it.\n",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert await LongTermFiles(tmp_path).read(AUDIENCE) == LongTerm(
        agents="agents",
        shared_soul="calm",
        soul="warm",
        user="Ann",
        memory="- Wanda",
        skills=(
            Skill(name="tea", description="How to make it.", text="# Tea\n\nHow to make it."),
            Skill(
                name="sailing",
                description="How to sail",
                text="---\nname: sailing\ndescription: 'How to sail'\n---",
            ),
        ),
    )


async def test_no_files_are_no_text(tmp_path: Path) -> None:
    assert await LongTermFiles(tmp_path).read(AUDIENCE) == LongTerm()


async def test_an_edit_is_seen_and_a_deletion_too(tmp_path: Path, own: Path) -> None:
    files = LongTermFiles(tmp_path)
    seen = []
    for text in ("one", "another", None):
        (own / "MEMORY.md").unlink(missing_ok=True)
        if text:
            (own / "MEMORY.md").write_text(text)
        seen.append((await files.read(AUDIENCE)).memory)

    assert seen == ["one", "another", ""]


async def test_an_unchanged_file_is_not_read_again(tmp_path: Path, own: Path) -> None:
    (own / "MEMORY.md").write_text("one")
    files = LongTermFiles(tmp_path)

    assert await files.read(AUDIENCE) is await files.read(AUDIENCE)


@pytest.mark.parametrize("target", ["outside", "person-bob", "shared"])
async def test_a_link_out_of_the_folder_is_not_followed(
    tmp_path: Path, own: Path, shared: Path, target: str
) -> None:
    bob = tmp_path / "memory" / "person-bob"
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    place = {"outside": outside, "person-bob": bob, "shared": shared}[target]
    place.mkdir(exist_ok=True)
    (place / "MEMORY.md").write_text("of somebody else")
    (own / "MEMORY.md").symlink_to(place / "MEMORY.md")
    (own / "skills").symlink_to(place)

    assert await LongTermFiles(tmp_path).read(AUDIENCE) == LongTerm()


async def test_a_pipe_holds_nobody_up(tmp_path: Path, own: Path) -> None:
    os.mkfifo(own / "MEMORY.md")

    assert (await LongTermFiles(tmp_path).read(AUDIENCE)).memory == ""


async def test_of_a_file_that_is_too_long_the_head_is_read(tmp_path: Path, own: Path) -> None:
    (own / "MEMORY.md").write_bytes(b"x" * (MAX_BYTES + 5))

    assert len((await LongTermFiles(tmp_path).read(AUDIENCE)).memory) == MAX_BYTES


async def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path, own: Path) -> None:
    (own / "MEMORY.md").write_bytes(b"\xff\xfe")

    assert (await LongTermFiles(tmp_path).read(AUDIENCE)).memory == "\ufffd\ufffd"


async def test_a_link_to_itself_is_no_text(tmp_path: Path, own: Path) -> None:
    (own / "MEMORY.md").symlink_to(own / "MEMORY.md")

    assert (await LongTermFiles(tmp_path).read(AUDIENCE)).memory == ""
