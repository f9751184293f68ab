"""Old bytes or new bytes, never a mixture."""

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memory.atomic import (
    append_bytes,
    append_line,
    ensure_dir,
    read_regular,
    remove_file,
    replace_file,
    sweep,
)
from memory.errors import StoreUnavailable


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestReplacing:
    async def test_a_file_is_made_or_replaced_and_private(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        await replace_file(path, b"old")
        path.chmod(0o644)
        await replace_file(path, b"new")

        assert path.read_bytes() == b"new"
        assert mode(path) == 0o600
        assert names(tmp_path) == ["file"]

    async def test_a_failure_leaves_the_old_file_and_nothing_else(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.mkdir()
        with pytest.raises(StoreUnavailable, match="file"):
            await replace_file(path, b"new")

        assert names(tmp_path) == ["file"]

    async def test_a_missing_folder_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(StoreUnavailable, match="nowhere"):
            await replace_file(tmp_path / "nowhere" / "file", b"new")

    async def test_a_name_as_long_as_names_may_be_is_fine(self, tmp_path: Path) -> None:
        path = tmp_path / ("水" * 85)
        await replace_file(path, b"new")

        assert path.read_bytes() == b"new"


class TestSweeping:
    def test_what_a_killed_process_was_writing_is_removed_wherever_it_lies(self, tmp_path: Path) -> None:
        folder = tmp_path / "memory" / "person-ann"
        folder.mkdir(parents=True)
        process = _killed_while_writing(folder / "MEMORY.md")
        [leftover] = names(folder)
        asyncio.run(sweep(tmp_path))

        assert process.returncode == -signal.SIGKILL
        assert leftover != "MEMORY.md"
        assert names(folder) == []

    async def test_files_of_people_stay(self, tmp_path: Path) -> None:
        for name in (
            ".new-",
            ".new-chapter",
            ".gitignore",
            "new-0123456789abcdef",
            ".new-0123456789abcdef.md",
        ):
            (tmp_path / name).touch()
        before = names(tmp_path)
        await sweep(tmp_path)

        assert names(tmp_path) == before

    async def test_what_is_being_written_meanwhile_is_let_be(self, tmp_path: Path) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(200):
                group.create_task(replace_file(tmp_path / str(number), b"words"))
                group.create_task(sweep(tmp_path))

        assert sorted(names(tmp_path)) == sorted(map(str, range(200)))


def _killed_while_writing(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _KILLED, str(path)], capture_output=True, text=True, check=False, timeout=50
    )


_KILLED = """
import os, signal, sys
from pathlib import Path
from memory.atomic import replace_now

os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
replace_now(Path(sys.argv[1]), b"words")
"""


class TestAppending:
    async def test_a_file_is_made_or_grows_and_is_private(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        await append_line(path, b"one")
        await append_line(path, b"two")
        await append_bytes(path, b"3")

        assert path.read_bytes() == b"one\ntwo\n3"
        assert mode(path) == 0o600

    def test_a_part_that_fitted_is_cut_off_again(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        child = subprocess.run(
            [sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=False, timeout=50
        )

        assert child.stdout.split() == ["refused"], child.stderr
        assert path.read_bytes() == b"a" * 600 + b"c" * 600


_CHILD = """
import asyncio, resource, sys
from pathlib import Path
from memory.atomic import append_bytes
from memory.errors import StoreUnavailable

async def main():
    path = Path(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    await append_bytes(path, b"a" * 600)
    try:
        await append_bytes(path, b"b" * 600)
    except StoreUnavailable:
        print("refused")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await append_bytes(path, b"c" * 600)

asyncio.run(main())
"""


class TestRemoving:
    async def test_what_is_not_there_is_removed_already(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.touch()
        for each in (path, path, tmp_path / "nowhere" / "file"):
            await remove_file(each)

        assert names(tmp_path) == []

    async def test_a_folder_in_the_place_of_the_file_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()

        with pytest.raises(StoreUnavailable, match="a"):
            await remove_file(tmp_path / "a")


@pytest.mark.parametrize("write", [replace_file, append_bytes])
async def test_nothing_is_written_through_a_link_or_in_its_place(
    tmp_path: Path, write: Callable[[Path, bytes], Awaitable[None]]
) -> None:
    (tmp_path / "elsewhere").write_bytes(b"words")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreUnavailable, match=r"link: expected a plain file, found a link"):
        await write(tmp_path / "link", b"other words")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere").read_bytes() == b"words"


class TestReading:
    def test_a_plain_file_is_read_also_through_a_link_and_as_far_as_wanted(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"12345")
        (tmp_path / "link").symlink_to(tmp_path / "file")

        assert read_regular(tmp_path / "file") == read_regular(tmp_path / "link") == b"12345"
        assert read_regular(tmp_path / "file", limit=2) == b"12"

    def test_no_file_is_nothing(self, tmp_path: Path) -> None:
        assert read_regular(tmp_path / "file") is None

    @pytest.mark.parametrize("kind", ["pipe", "socket", "directory", "device"])
    async def test_what_is_no_plain_file_is_named_instead_of_waited_for(
        self, tmp_path: Path, kind: str
    ) -> None:
        path = tmp_path / "file"
        with socket.socket(socket.AF_UNIX) as listening:
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "socket":
                listening.bind(str(path))
            elif kind == "directory":
                path.mkdir()
            else:
                path.symlink_to("/dev/zero")

            with pytest.raises(StoreUnavailable, match=rf"{path}: expected a plain file, found a {kind}"):
                read_regular(path)
            with pytest.raises(StoreUnavailable, match=str(path)):
                await append_bytes(path, b"a")

    async def test_nothing_is_appended_to_a_pipe_that_somebody_reads(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "file")
        reader = os.open(tmp_path / "file", os.O_RDONLY | os.O_NONBLOCK)
        try:
            with pytest.raises(StoreUnavailable, match="found a pipe"):
                await append_bytes(tmp_path / "file", b"a")
            assert os.read(reader, 1) == b""
        finally:
            os.close(reader)


class TestFolders:
    async def test_missing_ones_are_made_private(self, tmp_path: Path) -> None:
        above = mode(tmp_path)
        await ensure_dir(tmp_path / "a" / "b")
        await ensure_dir(tmp_path / "a" / "b")

        assert [mode(tmp_path / "a"), mode(tmp_path / "a" / "b"), mode(tmp_path)] == [0o700, 0o700, above]

    async def test_a_file_in_the_way_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("")

        with pytest.raises(StoreUnavailable, match="a"):
            await ensure_dir(tmp_path / "a" / "b")
