"""The terms of a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.archive.stemming import english_stem
from memory.archive.terms import content_terms, query_terms, stem, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("camping", "camped"),
        ("ponies", "pony"),
        ("went", "going"),
        ("bought", "buys"),
        ("children", "child"),
        ("Anna's", "anna"),
        ("relational", "relate"),
        ("hopping", "hop"),
        ("swept", "sweeping"),
        ("neighbours", "neighbor"),
        ("two", "2"),
        ("lives", "live"),
        ("leaves", "left"),
        ("died", "die"),
        ("lying", "lies"),
        ("buses", "bus"),
    ],
)
def test_the_forms_of_a_word_share_a_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("agreed", "agre"),
        ("conflated", "conflat"),
        ("sky", "sky"),
        ("happy", "happi"),
        ("hopefulness", "hope"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("is", "is"),
    ],
)
def test_stems_follow_porter(word: str, expected: str) -> None:
    assert english_stem(word) == expected


def test_accents_width_and_case_make_no_difference() -> None:
    assert terms("CRÈME Ｂｒûｌéｅ") == terms("creme brulee")


def test_chinese_is_cut_into_pairs_and_the_last_character() -> None:
    assert terms("去公园") == ["去公", "公园", "园"]


def test_japanese_and_korean_are_cut_as_well() -> None:
    assert "さく" in terms("さくら")
    assert "한국" in terms("한국어")


def test_scripts_are_parted_where_they_meet() -> None:
    assert terms("用iPhone15拍") == ["用", "iphone15", "拍"]


def test_vowel_signs_do_not_part_a_word() -> None:
    assert len(terms("हिन्दी")) == 1


def test_a_question_asks_for_its_content_words_alone() -> None:
    assert query_terms("What did you do with the violin?") == ["violin"]


def test_a_chinese_question_asks_for_its_content_pairs_alone() -> None:
    assert query_terms("我曾经在哪个公园？") == ["公园"]


def test_a_query_of_nothing_but_common_words_asks_for_them() -> None:
    assert query_terms("you and me") == ["you", "and", "me"]


def test_a_single_character_is_asked_for_as_a_prefix() -> None:
    assert query_terms("猫") == ["猫*"]


@pytest.mark.parametrize(
    "text", ["Good morning!", "ok thanks", "haha nice", "你好", "谢谢，晚安", "", "👍", "?!"]
)
def test_courtesies_have_no_content(text: str) -> None:
    assert content_terms(text) == []


def test_an_encoded_blob_is_one_short_term() -> None:
    assert len(stem("a1" * 500)) <= 48


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=200))
def test_any_text_has_terms_that_an_index_can_hold(text: str) -> None:
    found = terms(text)

    assert all(term and not set(term) & set(' "*') for term in found)
    assert bool(query_terms(text)) == bool(found)
