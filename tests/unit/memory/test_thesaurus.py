"""Words that an answer has instead of the question's."""

import pytest

from memory.archive.terms import terms
from memory.archive.thesaurus import instead


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("instruments", "cello"),
        ("pets", "kittens"),
        ("kids", "daughter"),
        ("job", "career"),
        ("乐器", "吉他"),
    ],
)
def test_what_is_asked_for_leads_to_what_may_be_said(asked: str, answered: str) -> None:
    assert {*terms(answered)} & {*instead(terms(asked)[0])}


@pytest.mark.parametrize(("asked", "not_meant"), [("cat", "dog"), ("cello", "guitar"), ("吉他", "钢琴")])
def test_one_of_a_kind_does_not_stand_for_another(asked: str, not_meant: str) -> None:
    assert terms(not_meant)[0] not in instead(terms(asked)[0])


def test_no_word_stands_for_itself() -> None:
    for word in ("pet", "dog", "家人"):
        assert terms(word)[0] not in instead(terms(word)[0])
