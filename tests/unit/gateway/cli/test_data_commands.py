"""`mneme sessions` and `mneme memory` as a shell sees them."""

import json
from pathlib import Path

import pytest

from gateway.service.lock import ProcessLock
from tests.helpers.command_line import Mneme, in_a_process

SAID = [
    {
        "role": "user",
        "content": "My dentist is Dr. Okafor.",
        "timestamp": "2026-03-01T10:00:00Z",
        "name": "Ann",
    },
    {"role": "assistant", "content": "Noted.", "timestamp": "2026-03-01T10:00:05Z"},
    {"role": "user", "content": "The harbour opens at noon.", "timestamp": "2026-03-02T10:00:00Z"},
]


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """A conversation in plain lines."""
    file = tmp_path / "old chat.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in SAID))
    return file


def test_a_conversation_goes_in_and_out_again(tmp_path: Path, said: Path, mneme: Mneme) -> None:
    into = mneme("sessions", "import", str(said), "--json")
    out = mneme("sessions", "export", "imported:old chat", "out.jsonl")
    shown = mneme("sessions", "show", "imported:old chat", "--json")
    mneme("sessions", "delete", "imported:old chat")
    back = mneme("sessions", "import", "out.jsonl")
    again = mneme("sessions", "show", "imported:old chat", "--json")

    assert [done.returncode for done in (into, out, shown, back, again)] == [0] * 5
    assert json.loads(into.stdout) == {
        "key": "imported:old chat",
        "audience": "person-owner",
        "messages": 3,
        "damages": [],
    }
    assert json.loads(again.stdout) == json.loads(shown.stdout)
    assert (tmp_path / "out.jsonl").stat().st_mode & 0o077 == 0


def test_an_export_writes_over_nothing_unless_told_to(tmp_path: Path, said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")
    mine = tmp_path / "mine.jsonl"
    mine.write_text("mine")

    refused = mneme("sessions", "export", "web:ann", str(mine))
    kept = mine.read_text()
    forced = mneme("sessions", "export", "web:ann", str(mine), "--force")

    assert (refused.returncode, kept) == (1, "mine")
    assert refused.stderr == f"mneme: {mine} is there already; --force writes over it\n"
    assert forced.returncode == 0
    assert len(mine.read_text().splitlines()) == 4


def test_an_import_names_the_lines_that_it_could_not_read(tmp_path: Path, mneme: Mneme) -> None:
    file = tmp_path / "x.jsonl"
    good = json.dumps(SAID[0]).encode()
    file.write_bytes(b"\n".join([good, b"nonsense", b'{"role":"user","content":"na\xefve"}', good]))

    done = mneme("sessions", "import", str(file))

    assert done.returncode == 0
    assert done.stdout == "imported:x: 2 messages, for person-owner\n"
    second, third = done.stderr.splitlines()
    assert second.startswith(f"mneme: {file} line 2: no JSON")
    assert 'expected {"role","content","timestamp"?,"name"?}' in second
    assert third.startswith(f"mneme: {file} line 3: no JSON")


def test_a_time_that_is_none_is_said_and_its_message_kept(tmp_path: Path, mneme: Mneme) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"role":"user","content":"hi","timestamp":"noon"}\n{"role":"user","content":"ho"}\n')

    done = mneme("sessions", "import", str(file))

    assert (done.returncode, done.stdout) == (0, "imported:x: 2 messages, for person-owner\n")
    assert done.stderr == (
        f"mneme: {file} message 1: timestamp 'noon': expected a time such as 2026-03-01T10:00:00Z; "
        "kept without its time\n"
    )


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", "no message can be read; expected"),
        (b"\n[llm]\n", "no message can be read: line 2: "),
        (b"\xff\xfe", "no message can be read: line 1: "),
        (b'{"role":"robot","content":"x"}', "no message can be read: line 1: "),
    ],
)
def test_a_file_without_messages_is_named_with_the_place(
    tmp_path: Path, mneme: Mneme, content: bytes, place: str
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(content)

    done = mneme("sessions", "import", str(file))

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"mneme: {file}: {place}")
    assert done.stderr.endswith('expected lines {"role","content","timestamp"?,"name"?}\n')


def test_a_file_in_the_place_of_the_state_directory_is_said(tmp_path: Path, mneme: Mneme) -> None:
    file = tmp_path / "x"
    file.touch()

    done = mneme("sessions", "list", "--state", str(file))

    assert done.returncode == 1
    assert done.stderr == f"mneme: gateway.state is {file}: expected a directory, or a place for one\n"


def test_nothing_is_imported_twice(said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said))

    again = mneme("sessions", "import", str(said))

    assert again.returncode == 1
    assert again.stderr == (
        f"mneme: {said}: 'imported:old chat' is there already, up to message 3; --key imports under another one\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("sessions", "show", "web:nobody"),
        ("sessions", "check", "web:nobody"),
        ("sessions", "export", "web:nobody", "-"),
        ("sessions", "repair", "web:nobody"),
        ("sessions", "delete", "web:nobody"),
        ("sessions", "import", "absent.jsonl"),
        ("memory", "why", "web:nobody#1"),
        ("memory", "search", "x", "--session", "web:nobody"),
        ("memory", "search", "--batch", "absent.jsonl"),
        ("memory", "show", "--audience", "person-nobody"),
        ("import-nanobot", "absent"),
    ],
)
def test_what_is_not_there_is_one_line_and_code_one(arguments: tuple[str, ...], mneme: Mneme) -> None:
    done = mneme(*arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("sessions", "show"),
        ("sessions", "burn"),
        ("memory", "search"),
        ("memory", "search", "x", "--batch", "y"),
        ("memory", "search", "x", "--limit", "0"),
        ("sessions", "export", "web:nobody", "-", "--json"),
    ],
)
def test_a_wrong_call_is_code_two(arguments: tuple[str, ...], mneme: Mneme) -> None:
    assert mneme(*arguments).returncode == 2


def test_a_person_can_read_a_conversation(tmp_path: Path, mneme: Mneme) -> None:
    file = tmp_path / "x.jsonl"
    call = {"id": "c1", "type": "function", "function": {"name": "fetch", "arguments": '{"url":"x"}'}}
    lines = [
        {"role": "user", "content": "look\x1b[2J there", "timestamp": "2026-03-01T10:00:00Z", "name": "Ann"},
        {"role": "assistant", "content": None, "tool_calls": [call], "timestamp": "2026-03-01T10:00:01Z"},
        {"role": "tool", "tool_call_id": "c1", "name": "fetch", "content": "a\nb", "timestamp": 1772359202},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    mneme("sessions", "import", str(file))

    done = mneme("sessions", "show", "imported:x", TZ="Asia/Tokyo")

    assert done.stdout.splitlines() == [
        "imported:x · person-owner · 3 messages",
        "",
        "#1  2026-03-01 19:00  Ann",
        "  look[2J there",
        "",
        "#2  2026-03-01 19:00  assistant",
        '  → fetch {"url":"x"}',
        "",
        "#3  2026-03-01 19:00  tool fetch",
        "  a",
        "  b",
    ]


def test_lists_and_checks_are_lines(said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")

    listed = mneme("sessions", "list")
    checked = mneme("sessions", "check")
    repaired = mneme("sessions", "repair", "web:ann")

    assert listed.stdout.split("\t")[:3] == ["web:ann", "person-owner", "3"]
    assert checked.stdout == "Nothing needs a repair.\n"
    assert repaired.stdout == "web:ann needs no repair.\n"


def test_a_search_prints_passages_or_a_document(said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")

    lines = mneme("memory", "search", "dentist").stdout.splitlines()
    document = json.loads(mneme("memory", "search", "dentist", "--limit", "1", "--json").stdout)
    nothing = mneme("memory", "search", "zeppelin")

    assert lines[0].startswith("web:ann#1  ")
    assert not lines[0].endswith("(beside a match)")
    assert lines[1] == "    My dentist is Dr. Okafor."
    assert lines[2].endswith("(beside a match)")
    assert [hit["ref"] for hit in document["hits"]] == ["web:ann#1"]
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "nothing was found\n")


def test_a_batch_is_answered_line_by_line_and_its_faults_are_named(
    tmp_path: Path, said: Path, mneme: Mneme
) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")
    batch = tmp_path / "queries.jsonl"
    asked = [{"id": n, "query": "harbour" if n % 2 else "dentist", "limit": 1} for n in range(450)]
    batch.write_text("".join(json.dumps(query) + "\n" for query in asked) + '{"id":"x"}\n\n')

    done = mneme("memory", "search", "--batch", str(batch))

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [answer["id"] for answer in answers] == list(range(450))
    assert [answer["hits"][0]["ref"] for answer in answers[:2]] == ["web:ann#1", "web:ann#3"]
    assert done.stderr.splitlines()[0].startswith(f"mneme: {batch} line 451: expected")


def test_memory_is_shown_explained_and_indexed_anew(tmp_path: Path, said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")
    empty = mneme("memory", "show")
    (tmp_path / ".mneme/memory/person-owner/MEMORY.md").write_text("- Likes tea.\n")

    shown = mneme("memory", "show")
    why = mneme("memory", "why", "web:ann#1")
    anew = mneme("memory", "reindex")

    assert empty.stdout == "person-owner:\nNothing is remembered yet.\n\n"
    assert shown.stdout == "person-owner:\nMEMORY.md:\n- Likes tea.\n\n"
    assert why.stdout == "web:ann#1  2026-03-01 10:00  Ann\n    My dentist is Dr. Okafor.\n"
    assert anew.stdout == "person-owner\t1\t3\n"


def test_what_was_forgotten_says_so_when_it_is_asked_for(said: Path, mneme: Mneme) -> None:
    mneme("sessions", "import", str(said), "--key", "web:ann")
    said_of_it = mneme("memory", "forget", "web:ann#1", "--yes").stdout
    why, shown = mneme("memory", "why", "web:ann#1"), mneme("sessions", "show", "web:ann")
    checked = mneme("sessions", "check")
    again = mneme("memory", "forget", "web:ann#1", "--yes")

    assert why.returncode == 0
    assert "\n    (forgotten: the words were erased" in why.stdout
    assert "\n  (forgotten: the words were erased" in shown.stdout
    assert checked.stdout == "Nothing needs a repair.\n"
    assert said_of_it == "erased, with whatever repeats it: 1 message\nweb:ann#1\n"
    assert (again.returncode, again.stdout) == (0, "erased already\n")


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (("chat", "-m", ""), "TEXT is empty"),
        (("chat", "-m", " \n"), "TEXT is empty"),
        (("chat", "--session", ""), "KEY is empty"),
        (("sessions", "import", "x.jsonl", "--key="), "Invalid value for --key: KEY is empty"),
        (("memory", "show", "--audience", ""), "Invalid value for --audience: A is empty"),
        (("sessions", "import", "x", "--key", "ann"), "a key is CHANNEL:NAME, such as terminal:ann"),
        (("sessions", "list", "--state", " "), "Invalid value for --state: DIRECTORY is empty"),
        (("memory", "forget", "--person", ""), "NAME is empty"),
        (("memory", "forget"), "give a REF"),
        (("memory", "forget", "x#1", "--person", "ann"), "give a REF"),
        (("sessions", "show"), "Missing argument 'KEY'. See mneme sessions show --help."),
        (("chat", "hello"), "(hello). See mneme chat --help."),
    ],
)
def test_a_mistake_of_the_call_is_one_line_that_says_where_to_read_on(
    mneme: Mneme, call: tuple[str, ...], problem: str
) -> None:
    done = mneme(*call)

    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_state_directory_in_use_is_said(tmp_path: Path, mneme: Mneme) -> None:
    (tmp_path / ".mneme").mkdir(mode=0o700)
    with ProcessLock(tmp_path / ".mneme" / "lock"):
        done = mneme("sessions", "list")

    assert done.returncode == 1
    assert "is running already" in done.stderr


@pytest.mark.slow
def test_a_shell_pipes_conversations_and_queries(tmp_path: Path) -> None:
    lines = "".join(json.dumps(line) + "\n" for line in SAID)

    into = in_a_process("sessions", "import", "-", "--key", "web:ann", home=tmp_path, said=lines)
    out = in_a_process("sessions", "export", "web:ann", "-", home=tmp_path)
    found = in_a_process(
        "memory", "search", "--batch", "-", home=tmp_path, said='{"id":1,"query":"dentist","limit":1}\n'
    )
    gone = in_a_process("sessions", "delete", "web:ann", home=tmp_path)
    absent = in_a_process("sessions", "show", "web:ann", home=tmp_path)

    assert [done.returncode for done in (into, out, found, gone, absent)] == [0, 0, 0, 0, 1]
    assert [json.loads(line).get("content") for line in out.stdout.splitlines()[1:]] == [
        line["content"] for line in SAID
    ]
    assert out.stderr == found.stderr == ""
    assert json.loads(found.stdout)["hits"][0]["ref"] == "web:ann#1"
    assert absent.stderr == 'mneme: there is no session "web:ann"; mneme sessions list shows all\n'
