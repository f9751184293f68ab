"""Archives of a state directory: what goes in, what comes out, and what is refused."""

import io
import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from gateway.backup.contents import pieces
from gateway.backup.manifest import BackupRefused
from gateway.backup.moment import moment
from gateway.backup.restoring import restore_backup
from gateway.backup.writing import write_backup
from gateway.service.lock import AlreadyRunning, ProcessLock
from memory.database import frozen
from memory.errors import StoreError


def write(path: Path, data: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A directory with one of everything, and a database that is open and not checkpointed."""
    state = tmp_path / "state"
    write(state / "mneme.toml", "[llm]\n")
    write(state / "sessions" / "telegram_42.jsonl", '{"seq":1}\n{"seq":2}\n{"se')
    write(state / "memory" / "person-ann" / "MEMORY.md", "- likes tea\n")
    write(state / "memory" / "person-ann" / ".dream_cursor", "3\n")
    write(state / "memory" / "person-ann" / ".git" / "HEAD", "ref: refs/heads/main\n")
    write(state / "memory" / "person-ann" / ".git" / "objects" / "ab" / "cd", "commit")
    (state / "memory" / "person-ann" / ".git" / "refs" / "tags").mkdir(parents=True)
    write(state / "media" / "hash", "picture")
    for name in (
        "lock",
        "log/mneme.jsonl",
        "memory/person-ann/index.db",
        "memory/person-ann/.new-0123456789abcdef",
    ):
        write(state / name)
    with closing(sqlite3.connect(state / "mneme.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE said (text)")
        connection.execute("INSERT INTO said VALUES ('hello')")
        connection.commit()
    return state


def files_in(directory: Path) -> dict[str, bytes]:
    found = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}


def test_what_is_restored_is_what_was_backed_up(state: Path, tmp_path: Path) -> None:
    written = write_backup(state, tmp_path / "a.tar.gz")
    restored = restore_backup(tmp_path / "a.tar.gz", tmp_path / "new")
    found = files_in(tmp_path / "new")
    with closing(sqlite3.connect(tmp_path / "new" / "mneme.db")) as connection:
        said = connection.execute("SELECT text FROM said").fetchall()

    assert restored == written
    assert said == [("hello",)]
    assert found["sessions/telegram_42.jsonl"] == b'{"seq":1}\n{"seq":2}\n'
    assert set(found) - {"lock", "mneme.db-shm", "mneme.db-wal"} == {
        "mneme.toml",
        "mneme.db",
        "sessions/telegram_42.jsonl",
        "memory/person-ann/MEMORY.md",
        "memory/person-ann/.dream_cursor",
        "memory/person-ann/.git/HEAD",
        "memory/person-ann/.git/objects/ab/cd",
        "media/hash",
    }
    assert (tmp_path / "new" / "memory" / "person-ann" / ".git" / "refs" / "tags").is_dir()
    assert written.counts == {"media": 1, "memory": 4, "mneme.db": 1, "mneme.toml": 1, "sessions": 1}


def test_nobody_else_can_read_the_archive_or_what_is_restored(state: Path, tmp_path: Path) -> None:
    write_backup(state, tmp_path / "a.tar.gz")
    restore_backup(tmp_path / "a.tar.gz", tmp_path / "new")
    paths = [tmp_path / "a.tar.gz", tmp_path / "new", *(tmp_path / "new").rglob("*")]

    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in paths} == {0}


def test_a_part_is_copied_before_those_that_may_be_newer(state: Path) -> None:
    names = [piece.name for piece in pieces(state) if not piece.is_folder]

    assert names == [
        "sessions/telegram_42.jsonl",
        "mneme.db",
        "memory/person-ann/.dream_cursor",
        "memory/person-ann/.git/HEAD",
        "memory/person-ann/.git/objects/ab/cd",
        "memory/person-ann/MEMORY.md",
        "media/hash",
        "mneme.toml",
    ]


def test_a_link_is_left_out_and_named(state: Path, tmp_path: Path) -> None:
    (state / "memory" / "away").symlink_to("/etc")

    manifest = write_backup(state, tmp_path / "a.tar.gz")

    assert manifest.left_out == ("memory/away",)


def test_an_archive_is_never_written_over(state: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.tar.gz", "precious")

    with pytest.raises(BackupRefused, match="is there already"):
        write_backup(state, tmp_path / "a.tar.gz")
    assert (tmp_path / "a.tar.gz").read_text() == "precious"


def test_what_died_while_it_was_written_bears_no_name_and_is_done_again(state: Path, tmp_path: Path) -> None:
    write(state / "media" / "photograph", "".join(sha256(b"%d" % n).hexdigest() for n in range(20_000)))
    dying = (
        "import resource, signal, sys; from pathlib import Path; from gateway.backup.writing import write_backup;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL); resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000));"
        "write_backup(Path(sys.argv[1]), Path(sys.argv[2]))"
    )

    died = subprocess.run([sys.executable, "-c", dying, state, tmp_path / "a.tar.gz"], check=False)
    left = (tmp_path / "a.tar.gz").exists()
    write_backup(state, tmp_path / "a.tar.gz")

    assert died.returncode == -signal.SIGXFSZ
    assert not left


def test_what_a_backup_left_that_died_a_day_ago_is_removed_by_the_next(state: Path, tmp_path: Path) -> None:
    write(tmp_path / ".mneme-backup-died" / "mneme.db")
    write(tmp_path / ".mneme-backup-runs" / "mneme.db")
    yesterday = time.time() - 90_000
    os.utime(tmp_path / ".mneme-backup-died", (yesterday, yesterday))

    write_backup(state, tmp_path / "a.tar.gz")

    assert {path.name for path in tmp_path.iterdir()} == {"state", "a.tar.gz", ".mneme-backup-runs"}


def test_an_archive_does_not_lie_in_what_it_holds(state: Path) -> None:
    with pytest.raises(BackupRefused, match="put the archive elsewhere"):
        write_backup(state, state / "media" / "a.tar.gz")


def test_nothing_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="holds nothing to back up"):
        write_backup(tmp_path / "nowhere", tmp_path / "a.tar.gz")


def test_a_damaged_database_leaves_no_archive_that_looks_like_one(state: Path, tmp_path: Path) -> None:
    (state / "mneme.db").write_bytes(b"this is no database at all" * 400)

    with pytest.raises(StoreError):
        write_backup(state, tmp_path / "a.tar.gz")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_the_database_is_copied_as_it_is_at_one_moment_beside_its_writer(state: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(state / "mneme.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO said VALUES ('not yet')")
        with frozen(state / "mneme.db") as copy:
            writer.execute("COMMIT")
            copy(tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copied:
        said = copied.execute("SELECT text FROM said").fetchall()

    assert said == [("hello",)]


def test_sessions_are_cut_at_the_moment_of_the_database(state: Path) -> None:
    grown, rewritten_since = state / "sessions" / "telegram_42.jsonl", state / "sessions" / "old.jsonl"
    write(rewritten_since, '{"seq":1}\n')
    with moment(state) as cut:
        for path in (grown, rewritten_since):
            with path.open("a") as file:
                file.write('{"seq":9}\n')
        rewritten_since.write_text("")
        rewritten_since.rename(state / "sessions" / "aside")
        write(rewritten_since, '{"seq":1}\n' * 9)
        write(state / "sessions" / "new.jsonl")
        sizes = {
            path.name: cut.end_of(path, inode=path.stat().st_ino, now=path.stat().st_size)
            for path in (state / "sessions").glob("*.jsonl")
        }

    assert sizes == {
        "telegram_42.jsonl": len('{"seq":1}\n{"seq":2}\n{"se'),
        "old.jsonl": 90,
        "new.jsonl": None,
    }


@pytest.fixture
def archive(state: Path, tmp_path: Path) -> Path:
    write_backup(state, tmp_path / "a.tar.gz")
    return tmp_path / "a.tar.gz"


def test_a_directory_that_holds_something_is_left_as_it_is(archive: Path, tmp_path: Path) -> None:
    write(tmp_path / "new" / "mneme.toml", "mine")

    with pytest.raises(BackupRefused, match=r"is not empty \(there is mneme.toml\)"):
        restore_backup(archive, tmp_path / "new")
    assert (tmp_path / "new" / "mneme.toml").read_text() == "mine"


def test_a_running_daemon_keeps_its_directory(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with ProcessLock(tmp_path / "new" / "lock"), pytest.raises(AlreadyRunning):
        restore_backup(archive, tmp_path / "new")


def test_what_an_interrupted_restore_left_aside_is_replaced(archive: Path, tmp_path: Path) -> None:
    write(tmp_path / "new" / ".restore" / "mneme.db", "half")

    restore_backup(archive, tmp_path / "new")

    assert not (tmp_path / "new" / ".restore").exists()


Member = tuple[tarfile.TarInfo, bytes]


def rewritten(archive: Path, change: Callable[[list[Member]], None]) -> Path:
    """The archive with other members."""
    with tarfile.open(archive) as opened:
        members = [
            (member, file.read() if (file := opened.extractfile(member)) else b"") for member in opened
        ]
    change(members)
    with tarfile.open(archive, "w:gz") as opened:
        for member, data in members:
            member.size = len(data)
            opened.addfile(member, io.BytesIO(data))
    return archive


def named(name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> Member:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member, b"" if kind != tarfile.REGTYPE else b"evil"


def listed(member: Member) -> Callable[[list[Member]], None]:
    """Puts the member first and into the manifest: the archive's author knows how that is done."""

    def change(members: list[Member]) -> None:
        described, data = members[-1]
        document = json.loads(data)
        name = member[0].name.removeprefix("state/")
        document["files"][name] = {"size": len(member[1]), "sha256": sha256(member[1]).hexdigest()}
        members[-1] = described, json.dumps(document).encode()
        members.insert(0, member)

    return change


@pytest.mark.parametrize(
    "member",
    [
        named("state/../../evil"),
        named("/evil"),
        named("evil"),
        named("state//evil"),
        named("state/memory/../../evil"),
        named("state/lock"),
        named("state/way", kind=tarfile.SYMTYPE, link="/etc"),
        named("state/way", kind=tarfile.LNKTYPE, link="state/mneme.toml"),
        named("state/pipe", kind=tarfile.FIFOTYPE),
    ],
    ids=lambda member: f"{member[0].name} {member[0].type.decode()}",
)
def test_an_archive_reaches_no_place_outside(archive: Path, tmp_path: Path, member: Member) -> None:
    before = set(tmp_path.rglob("*"))

    with pytest.raises(BackupRefused, match="which no backup does"):
        restore_backup(rewritten(archive, listed(member)), tmp_path / "new")
    assert set(tmp_path.rglob("*")) == before
    assert not Path("/evil").exists()


def corrupt(members: list[Member]) -> None:
    place = next(i for i, (member, _) in enumerate(members) if member.name == "state/media/hash")
    members[place] = members[place][0], b"Picture"


def lose(members: list[Member]) -> None:
    members[:] = [member for member in members if member[0].name != "state/media/hash"]


def repeat(members: list[Member]) -> None:
    place = next(i for i, (member, _) in enumerate(members) if member.name == "state/media/hash")
    members.insert(place, members[place])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (corrupt, "'media/hash' in the archive is not what its manifest says"),
        (lose, "'media/hash' in the archive is not what its manifest says"),
        (repeat, "holds 'media/hash' twice"),
        (list.pop, "has no manifest: it is no backup, or was cut off"),
        (lambda members: members.append(named("state/more")), "goes on after its manifest"),
    ],
)
def test_an_archive_that_is_not_whole_changes_nothing(
    archive: Path, tmp_path: Path, change: Callable[[list[Member]], None], problem: str
) -> None:
    with pytest.raises(BackupRefused, match=problem):
        restore_backup(rewritten(archive, change), tmp_path / "folder" / "new")
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_a_file_that_was_cut_off_is_no_backup(archive: Path, tmp_path: Path, keep: float) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * keep)])

    with pytest.raises(BackupRefused, match="no backup, or"):
        restore_backup(archive, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_directory_that_was_empty_is_there_after_a_restore_that_failed(
    archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()

    with pytest.raises(BackupRefused, match="is not what its manifest says"):
        restore_backup(rewritten(archive, corrupt), tmp_path / "new")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["lock"]


def test_what_is_no_archive_is_said_to_be_none(tmp_path: Path) -> None:
    write(tmp_path / "a.tar.gz", "hello")

    with pytest.raises(BackupRefused, match="is no backup"):
        restore_backup(tmp_path / "a.tar.gz", tmp_path / "new")
    with pytest.raises(BackupRefused, match="can't be read"):
        restore_backup(tmp_path / "b.tar.gz", tmp_path / "new")


def test_a_database_that_lost_everything_is_no_backup(state: Path, tmp_path: Path) -> None:
    for path in state.glob("mneme.db*"):
        path.unlink()
    (state / "mneme.db").touch()

    with pytest.raises(StoreError, match="is empty"):
        write_backup(state, tmp_path / "archive")
    assert not (tmp_path / "archive").exists()
