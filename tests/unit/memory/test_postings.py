"""How often a term stands, remembered and still true."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from memory.archive.index import IndexFile
from memory.archive.schema import Batch
from memory.messages import UserMessage

AT = datetime(2024, 3, 1, 9, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[IndexFile]:
    opened = IndexFile(tmp_path / "index.db")
    yield opened
    opened.close()


def put(file: IndexFile, *texts: str) -> None:
    first = next(seq for seq in count(1) if not file.documents([seq - 1 + 512]))
    messages = [UserMessage(content=text, seq=seq, at=AT) for seq, text in enumerate(texts, first)]
    file.add([Batch(key="a", messages=messages, last_seq=messages[-1].seq, erasures=0)])


def test_a_frequency_grows_with_every_message_that_holds_the_term(file: IndexFile) -> None:
    put(file, "red red lamp", "lamp")
    before = [file.postings.frequency(term) for term in ("red", "lamp", "blue")]
    put(file, "blue lamp", "red")

    assert before == [1, 2, 0]
    assert [file.postings.frequency(term) for term in ("red", "lamp", "blue")] == [2, 3, 1]


def test_a_rare_term_gives_its_messages_and_a_common_one_none(file: IndexFile) -> None:
    put(file, "red lamp", "lamp", "lamp")

    assert file.postings.rare("red", most=2) == [512]
    assert file.postings.rare("blue", most=2) == []
    assert file.postings.rare("lamp", most=2) is None


def test_a_rare_term_becomes_common(file: IndexFile) -> None:
    put(file, "lamp")
    before = file.postings.rare("lamp", most=2)
    put(file, "lamp", "lamp")

    assert before == [512]
    assert file.postings.rare("lamp", most=2) is None


def test_a_single_character_counts_what_was_said_since(file: IndexFile) -> None:
    put(file, "我的猫")
    before = file.postings.frequency("猫*")
    put(file, "猫在睡觉")

    assert (before, file.postings.frequency("猫*")) == (1, 2)


def test_messages_that_hold_two_terms_are_found_newest_first(file: IndexFile) -> None:
    put(file, "red lamp", "lamp", "lamp is red", "red")

    assert file.postings.newest("red", "lamp", limit=9) == [514, 512]
    assert file.postings.newest("red", "lamp", limit=1) == [514]
    assert file.postings.with_both("red", "lamp", limit=9) == [512, 514]
