import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.archive.entry import Entry
from memory.claims.claim import Status
from memory.crashpoints import CrashPoint
from memory.longterm.dream import MOST_ATTEMPTS
from memory.longterm.lines import memory_line
from memory.messages import Provenance
from tests.helpers.hostile_dreams import changed_by_dreams
from tests.helpers.longterm import AUDIENCE, Library, add, add_all, claim, entry

ROOT = Path(__file__).resolve().parents[3]
WINDOW = 8192
BOAT = claim("Ann has a boat called Wanda.", seq=3)
RENT = claim("The rent is 900 euro.", seq=5)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


async def archive(library: Library, count: int) -> None:
    """That many entries of one claim each."""
    for n in range(1, count + 1):
        fact = claim(f"Shelf {n} holds {1000 + n} books.", seq=n)
        await library.history.append(AUDIENCE, entry(fact, to_seq=40 * n))


def cursor(library: Library) -> str:
    return library.text(".dream_cursor").strip()


async def test_without_new_entries_no_model_is_asked(library: Library) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert report.batches == []
    assert len(library.dreamer.asked) == 1


async def test_an_audience_without_an_archive_gets_no_files(library: Library) -> None:
    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert (report.batches, library.dreamer.asked, library.directory.exists()) == ([], [], False)


async def test_what_is_proposed_and_true_is_written_and_committed(library: Library) -> None:
    await library.history.append(AUDIENCE, entry(BOAT, RENT))

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    revision = report.batches[0].revision
    assert revision is not None
    assert (revision.claims, revision.cursor) == ((BOAT.id[:8], RENT.id[:8]), 1)
    assert memory_line(BOAT.text, claims=[BOAT]) in library.text()
    assert cursor(library) == "1"


async def test_twenty_entries_are_read_at_once(library: Library) -> None:
    await archive(library, 25)

    report = await library.dream.run(AUDIENCE, window_tokens=32_768)

    assert [(each.from_cursor, each.to_cursor) for each in report.batches] == [(1, 20), (21, 25)]
    assert cursor(library) == "25"


async def test_a_batch_fits_the_window_and_entries_stay_whole(library: Library) -> None:
    long = [claim(f"Room {n}: " + " ".join(f"item{n}x{m}" for m in range(120)), seq=n) for n in range(1, 7)]
    for n, each in enumerate(long, start=1):
        await library.history.append(AUDIENCE, entry(each, to_seq=40 * n))

    await library.dream.run(AUDIENCE, window_tokens=4096)

    asked = [cursors for cursors, _, _ in library.dreamer.asked]
    assert [each for cursors in asked for each in cursors] == [1, 2, 3, 4, 5, 6]
    assert len(asked) > 1
    assert all(max_tokens <= 1024 for _, _, max_tokens in library.dreamer.asked)


async def test_an_entry_beyond_the_window_is_set_aside_and_named(library: Library) -> None:
    huge = claim("All items: " + " ".join(f"item{m}" for m in range(3000)))
    await library.history.append(AUDIENCE, entry(huge))
    await library.history.append(AUDIENCE, entry(BOAT, to_seq=80))

    report = await library.dream.run(AUDIENCE, window_tokens=4096)

    assert [(each.to_cursor, each.reason) for each in report.aside] == [
        (1, "the entry is longer than the model's window")
    ]
    assert report.given_up == 1
    assert BOAT.text in library.text()


async def test_an_entry_for_which_the_files_leave_no_room_is_read_without_them(library: Library) -> None:
    """In a small window a full MEMORY.md was the end of all Dreams."""
    library.write("MEMORY.md", "".join(f"- A line of mine, number {n}.\n" for n in range(400)))
    facts = [
        claim(
            f"Shelf {n} of the blue room by the garden holds {1000 + n} old books about the sea, the moon and the railway.",
            seq=n,
        )
        for n in range(1, 31)
    ]
    await library.history.append(AUDIENCE, entry(*facts))
    library.dreamer.answer = add_all

    report = await library.dream.run(AUDIENCE, window_tokens=4096)

    assert report.aside == []
    assert all(fact.text in library.text() for fact in facts)
    assert library.text().count("A line of mine") == 400


async def test_a_batch_without_an_answer_is_tried_again_and_then_set_aside(library: Library) -> None:
    library.dreamer.answer = None
    await archive(library, 2)

    before, asides = [], []
    for _ in range(MOST_ATTEMPTS):
        before.append(cursor(library))
        asides.append((await library.dream.run(AUDIENCE, window_tokens=WINDOW)).aside)

    *none, [aside] = asides
    assert before == [""] * MOST_ATTEMPTS
    assert not any(none)
    assert cursor(library) == "2"
    assert (aside.from_cursor, aside.to_cursor) == (1, 2)
    assert aside.reason == "3 attempts failed, the last: the model is away"


async def test_a_batch_at_which_the_process_dies_again_and_again_is_set_aside(library: Library) -> None:
    await archive(library, 1)

    def interrupt(_: Sequence[Entry]) -> object:
        raise asyncio.CancelledError

    library.dreamer.answer = interrupt
    for _ in range(10):
        with pytest.raises(asyncio.CancelledError):
            await library.dream.run(AUDIENCE, window_tokens=WINDOW)
    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert [each.reason for each in report.aside] == ["10 attempts were broken off"]
    assert cursor(library) == "1"


async def test_after_a_batch_that_was_given_up_the_next_one_is_read(library: Library) -> None:
    library.dreamer.answer = None
    await archive(library, 1)
    for _ in range(MOST_ATTEMPTS):
        await library.dream.run(AUDIENCE, window_tokens=WINDOW)
    library.dreamer.answer = add_all
    await library.history.append(AUDIENCE, entry(BOAT, to_seq=400))

    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert BOAT.text in library.text()


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I could not find anything.",
        '{"edits": [{"action": "add", "fi',
        None,
        3,
        {"edits": [{"action": "add"}]},
    ],
)
async def test_an_answer_that_was_cut_off_changes_nothing(library: Library, answer: object) -> None:
    """A cut answer took the place of the whole file."""
    library.write("MEMORY.md", "- A line of mine.\n" * 400)
    await archive(library, 1)
    library.dreamer.answer = lambda _: answer

    report = await library.dream.run(AUDIENCE, window_tokens=32_768)

    assert report.batches[0].failure
    assert library.text() == "- A line of mine.\n" * 400
    assert cursor(library) == ""


async def test_an_answer_of_which_nothing_may_be_done_is_an_answer(library: Library) -> None:
    """One refused edit held the cursor for ever."""
    await archive(library, 1)
    library.dreamer.answer = lambda _: {
        "edits": [{"action": "remove", "file": "MEMORY.md", "old": "x", "claims": []}]
    }

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert (len(report.batches[0].refused), cursor(library)) == (1, "1")
    assert await library.notebook.versions.log(AUDIENCE) == ()


async def test_thirty_runs_over_one_fact_leave_one_line(library: Library) -> None:
    """The file grew with every run."""
    for n in range(1, 31):
        again = replace(BOAT, id=f"{n:016x}")
        await library.history.append(AUDIENCE, entry(again, to_seq=40 * n))
        await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert library.text().count("Wanda") == 1


async def test_a_file_that_takes_much_of_the_window_is_warned_of(library: Library) -> None:
    library.write("MEMORY.md", "- A line of mine that says nothing new.\n" * 300)
    await library.history.append(AUDIENCE, entry(BOAT))

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    (shown,) = [files["MEMORY.md"] for _, files, _ in library.dreamer.asked]
    assert len(shown) < len(library.text())
    assert report.warnings[0].startswith("MEMORY.md takes ")


async def test_a_dry_run_asks_and_changes_nothing(library: Library) -> None:
    await archive(library, 25)

    report = await library.dream.run(AUDIENCE, window_tokens=32_768, dry_run=True)

    assert [len(each.accepted) for each in report.batches] == [20, 5]
    assert (library.text(), cursor(library), await library.notebook.versions.log(AUDIENCE)) == ("", "", ())
    assert "Shelf 20" in library.dreamer.asked[1][1]["MEMORY.md"]


async def test_what_left_a_summary_for_room_is_believed_as_before_and_takes_none_here(
    library: Library,
) -> None:
    aged = [claim(f"Note {n} on the long way home.", seq=n, status=Status.AGED) for n in range(1, 200)]
    await library.history.append(AUDIENCE, entry(BOAT, RENT, replace(BOAT, status=Status.AGED), *aged))
    report = await library.dream.run(AUDIENCE, window_tokens=8192)

    assert report.aside == []
    assert [each.claims for each in report.batches[0].accepted] == [(BOAT,), (RENT,)]


async def test_what_was_superseded_within_the_batch_is_not_written(library: Library) -> None:
    newer = claim("The rent is 950 euro.", seq=50, supersedes=[RENT.id[:8]])
    await library.history.append(AUDIENCE, entry(RENT))
    gone = replace(RENT, status=Status.SUPERSEDED)
    await library.history.append(AUDIENCE, entry(newer, gone, to_seq=80))

    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert "950" in library.text()
    assert "900" not in library.text()


async def test_a_claim_that_only_says_it_replaces_another_replaces_nothing(library: Library) -> None:
    """What a web page wanted to supersede was never written, whoever had said it."""
    page = claim("The rent is 1 euro.", seq=50, provenance=Provenance.WEB, supersedes=[RENT.id[:1]])
    await library.history.append(AUDIENCE, entry(RENT))
    await library.history.append(AUDIENCE, entry(replace(page, session="slack:C1"), to_seq=80))

    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert "The rent is 900 euro. <!--" in library.text()


async def test_what_all_share_and_other_audiences_stay_as_they_are(library: Library) -> None:
    shared = library.state / "memory" / "shared"
    shared.mkdir(parents=True)
    (shared / "SOUL.md").write_text("calm\n")
    await library.history.append(AUDIENCE, entry(BOAT))
    places = ("shared/SOUL.md", "../shared/SOUL.md", "memory/shared/SOUL.md", "../person-bob/MEMORY.md")
    library.dreamer.answer = lambda _: {"edits": [add(BOAT, file=place) for place in places]}

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert len(report.batches[0].refused) == len(places)
    assert (shared / "SOUL.md").read_text() == "calm\n"
    assert sorted(each.name for each in (library.state / "memory").iterdir()) == [AUDIENCE, "shared"]


@pytest.mark.parametrize("name", ["MEMORY.md", "skills/sailing"])
async def test_a_link_is_not_written_through(library: Library, name: str) -> None:
    outside = library.state.parent / f"{library.state.name}-outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("theirs")
    link = library.directory / name
    link.parent.mkdir(parents=True)
    link.symlink_to(outside / "SKILL.md" if name == "MEMORY.md" else outside)
    await library.history.append(AUDIENCE, entry(BOAT))
    file = name if name == "MEMORY.md" else f"{name}/SKILL.md"
    library.dreamer.answer = lambda _: [add(BOAT, file=file)]

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert "a link is not followed" in report.batches[0].refused[0][1].reason
    assert (outside / "SKILL.md").read_text() == "theirs"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", "merge conflict"),
        (b"x" * (1 << 20) + b"x", "bytes"),
    ],
)
async def test_a_file_that_can_not_be_edited_is_named_and_left(
    library: Library, data: bytes, problem: str
) -> None:
    library.write("MEMORY.md", "")
    (library.directory / "MEMORY.md").write_bytes(data)
    await library.history.append(AUDIENCE, entry(BOAT))

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert problem in report.batches[0].refused[0][1].reason
    assert problem in report.warnings[0]
    assert (library.directory / "MEMORY.md").read_bytes() == data


@pytest.mark.parametrize("data", ["<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n", "- words\n" * 8192])
async def test_what_a_file_could_not_take_is_given_up_and_noted_when_it_is_mended(
    library: Library, data: str
) -> None:
    library.write("MEMORY.md", data)
    await library.history.append(AUDIENCE, entry(BOAT))

    report = await library.dream.run(AUDIENCE, window_tokens=262_144)
    library.write("MEMORY.md", "- a\n")
    again = await library.dream.run(AUDIENCE, window_tokens=262_144, retry=True)

    assert [aside.reason for aside in report.aside] == [report.batches[0].refused[0][1].reason]
    assert (report.given_up, again.given_up, cursor(library)) == (1, 0, "1")
    assert BOAT.text in library.text()


async def test_bytes_that_are_no_text_are_kept(library: Library) -> None:
    library.write("MEMORY.md", "")
    (library.directory / "MEMORY.md").write_bytes(b"- \xff\xfe\n")
    await library.history.append(AUDIENCE, entry(BOAT))

    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    data = (library.directory / "MEMORY.md").read_bytes()
    assert data.startswith(b"- \xff\xfe\n")
    assert BOAT.text.encode() in data


async def test_a_folder_that_is_deleted_while_the_model_thinks_does_not_come_back_with_its_words(
    library: Library,
) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))

    def answer(entries: Sequence[Entry]) -> object:
        shutil.rmtree(library.directory)
        return add_all(entries)

    library.dreamer.answer = answer
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert "Wanda" not in library.text()


async def test_what_a_person_saves_while_the_model_thinks_is_kept(library: Library) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))

    def answer(entries: Sequence[Entry]) -> object:
        library.write("MEMORY.md", "- By hand.\n")
        return add_all(entries)

    library.dreamer.answer = answer
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert library.text().startswith("- By hand.\n")
    assert [each.by_hand for each in await library.notebook.versions.log(AUDIENCE)] == [False, True]


async def test_two_runs_at_once_read_the_archive_once(library: Library) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))

    await asyncio.gather(*(library.dream.run(AUDIENCE, window_tokens=WINDOW) for _ in range(3)))

    assert len(library.dreamer.asked) == 1


@pytest.mark.parametrize("written", ["", "x", "-4", "1.5", "null", "9" * 30])
async def test_a_cursor_that_is_no_count_repeats_nothing(library: Library, written: str) -> None:
    await library.history.append(AUDIENCE, entry(BOAT))
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)
    library.write(".dream_cursor", written)

    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert report.batches == []


async def test_foreign_words_are_marked_and_never_rule(library: Library) -> None:
    tower = claim("The tower is 120 m high.", provenance=Provenance.WEB)
    await library.history.append(AUDIENCE, entry(tower))
    library.dreamer.answer = lambda _: [
        add(tower, file=file) for file in ("SOUL.md", "USER.md", "skills/towers/SKILL.md", "MEMORY.md")
    ]

    await library.dream.run(AUDIENCE, window_tokens=WINDOW)

    assert sorted(library.directory.glob("**/*.md")) == [library.directory / "MEMORY.md"]
    assert "(from a web page)" in library.text()


async def test_a_hostile_model_changes_no_byte_and_makes_no_commit() -> None:
    assert await changed_by_dreams(13) == []


CHILD = """
import asyncio, sys
from pathlib import Path
from tests.helpers.hostile_dreams import changed_by_dreams
from tests.helpers.longterm import AUDIENCE, Library
asyncio.run(Library(Path(sys.argv[1])).dream.run(AUDIENCE, window_tokens=8192))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", [CrashPoint.DREAM_WRITE_AFTER, CrashPoint.DREAM_COMMIT_AFTER, CrashPoint.DREAM_CURSOR_AFTER]
)
@pytest.mark.parametrize("edited", [False, True])
async def test_killed_between_two_steps_the_change_is_made_once(
    library: Library, point: CrashPoint, edited: bool
) -> None:
    library.write("MEMORY.md", "- By hand.\n")
    await library.history.append(AUDIENCE, entry(BOAT, RENT))
    killed = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, library.state, cwd=ROOT, env=os.environ | {"MNEME_CRASH_AT": point.value}
    )
    assert await killed.wait() == -signal.SIGKILL
    if edited:
        library.write("MEMORY.md", library.text() + "- Later.\n")

    again = Library(library.state)
    await again.dream.run(AUDIENCE, window_tokens=WINDOW)

    log = await again.notebook.versions.log(AUDIENCE)
    assert [each.title for each in log if not each.by_hand] == ["Dream: MEMORY.md +2"]
    assert again.text().count("Wanda") == 1
    assert "- By hand.\n" in again.text()
    assert ("- Later.\n" in again.text()) is edited
    assert (again.dreamer.asked, cursor(again)) == ([], "1")
    contents = await again.notebook.read(AUDIENCE)
    assert contents.ownership.owns("MEMORY.md", memory_line(BOAT.text, claims=[BOAT]))


async def given_up(library: Library) -> None:
    """An archive of two entries that are set aside, and a third that is in the files."""
    await archive(library, 2)
    library.dreamer.answer = None
    for _ in range(MOST_ATTEMPTS):
        await library.dream.run(AUDIENCE, window_tokens=WINDOW)
    library.dreamer.answer = add_all
    await library.history.append(AUDIENCE, entry(BOAT, to_seq=120))
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)


async def test_what_was_given_up_is_read_again_on_request_and_then_no_more(library: Library) -> None:
    await given_up(library)
    before = library.text()
    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True)
    once_more = await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True)

    assert "Shelf" not in before
    assert "Shelf 1 holds 1001 books." in library.text()
    assert "Shelf 2 holds 1002 books." in library.text()
    assert [(batch.from_cursor, batch.to_cursor) for batch in report.batches] == [(1, 2)]
    assert (report.given_up, once_more.batches, cursor(library)) == (0, [], "3")
    assert library.text().count(BOAT.text) == 1


async def test_what_is_given_up_stays_so_where_the_model_fails_again(library: Library) -> None:
    await given_up(library)
    library.dreamer.answer = None
    reports = [
        await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True) for _ in range(MOST_ATTEMPTS + 1)
    ]

    assert {report.given_up for report in reports} == {1}
    assert cursor(library) == "3"


async def test_a_dry_run_reads_again_what_was_given_up_and_changes_nothing(library: Library) -> None:
    await given_up(library)
    before = library.text()
    report = await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True, dry_run=True)

    assert [len(batch.accepted) for batch in report.batches] == [2]
    assert (library.text(), report.given_up) == (before, 1)


async def test_a_crash_between_a_retry_and_its_note_repeats_no_line(library: Library) -> None:
    await given_up(library)
    aside = library.text(".dream_aside")
    await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True)
    library.write(".dream_aside", aside)
    after = library.text()
    await library.dream.run(AUDIENCE, window_tokens=WINDOW, retry=True)

    assert library.text() == after


async def test_what_is_forgotten_while_the_model_is_asked_is_in_no_file_and_no_history(
    library: Library,
) -> None:
    await library.history.append(AUDIENCE, entry(BOAT, RENT))
    forgotten = asyncio.Event()

    async def propose(entries: Sequence[Entry], *, files: Mapping[str, str], max_tokens: int) -> object:
        await library.history.erase(
            AUDIENCE, is_erased=lambda claim: claim.id == BOAT.id, is_erased_text=lambda _: False
        )
        await library.notebook.erase(AUDIENCE, is_erased=lambda line: "Wanda" in line)
        forgotten.set()
        return add_all(entries)

    library.dreamer.propose = propose  # type: ignore[method-assign] # the model of this one test
    await library.dream.run(AUDIENCE, window_tokens=WINDOW)
    versions = await library.notebook.versions.log(AUDIENCE)
    diffs = [await library.notebook.versions.diff(AUDIENCE, each.id) for each in versions]

    assert forgotten.is_set()
    assert RENT.text in library.text()
    assert "Wanda" not in library.text()
    assert not any("Wanda" in str(diff) for diff in diffs)
