import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from memory.tokens import message_tokens
from memory.view.budget import Border, Budget, View, choose_view, cut_point
from memory.view.history import legal_history
from memory.view.shorten import BARE_MARK, RESULT_CHARS, water_level
from tests.helpers.grammar import grammar_faults
from tests.helpers.histories import answer, calls, damaged_history, numbered, result, user, valid_history

SESSION = "telegram:42"
windows = st.one_of(st.integers(512, 4096), st.integers(512, 200_000))
limits = st.integers(1, 40)


def view(messages: Sequence[Message], *, tokens: int, limit: int = 500, factor: float = 1.0) -> View:
    return choose_view(messages, budget_tokens=tokens, max_messages=limit, session=SESSION, factor=factor)


def texts(seen: View) -> list[str]:
    return [message.content for message in seen.messages]


def cut_ones(seen: View) -> list[int]:
    """The numbers of the messages that are shown in part."""
    return [message.seq for message in seen.messages if BARE_MARK[:2] in message.content]


def true_cost(seen: View) -> int:
    """Counted anew, whatever the messages say."""
    return sum(map(message_tokens, seen.messages))


def rounds(count: int, *, of_tokens: int, turn: str) -> list[Message]:
    """That many groups of one call and one result."""
    made: list[Message] = []
    for number in range(count):
        made += [calls(f"c{number}", turn=turn), result(f"c{number}", "boat " * of_tokens, turn=turn)]
    return made


@given(damaged_history, windows, limits)
@settings(max_examples=150, deadline=None)
def test_every_view_is_legal_and_fits(messages: list[Message], window: int, limit: int) -> None:
    """Repaired first and cut afterwards, a history has new orphans."""
    budget = Budget(window=window, max_output=1024).input_tokens
    seen = view(messages, tokens=budget, limit=limit)
    sent = legal_history(seen.messages)

    assert grammar_faults(seen.messages) == []
    assert sent.repairs == {}
    assert true_cost(seen) <= seen.tokens <= budget


@given(damaged_history, windows)
@settings(max_examples=80, deadline=None)
def test_a_view_is_empty_only_where_nothing_can_be_sent(messages: list[Message], window: int) -> None:
    seen = view(messages, tokens=Budget(window=window, max_output=1024).input_tokens)

    assert bool(seen.messages) == bool(legal_history(messages).messages)


@given(valid_history, windows, limits)
@settings(max_examples=80, deadline=None)
def test_a_view_ends_with_the_running_turn(messages: list[Message], window: int, limit: int) -> None:
    seen = view(messages, tokens=Budget(window=window, max_output=1024).input_tokens, limit=limit)
    newest = [message for message in messages if isinstance(message, UserMessage)][-1]
    shown = [message for message in seen.messages if isinstance(message, UserMessage)][-1]

    assert shown.seq == newest.seq
    assert shown.content[:1] == newest.content[:1] or BARE_MARK[:2] in shown.content


@given(valid_history, limits)
@settings(max_examples=60, deadline=None)
def test_a_view_that_has_room_is_the_newest_turns_untouched(messages: list[Message], limit: int) -> None:
    assume(all(len(message.content) <= RESULT_CHARS for message in messages))
    seen = view(messages, tokens=10**9, limit=limit)

    assert all(message is messages[message.seq - 1] for message in seen.messages)
    assert len(seen.messages) <= limit or len(list(filter(_is_user, seen.messages))) == 1
    assert seen.repairs == {}


@given(damaged_history, st.integers(-10, 300))
@settings(max_examples=60, deadline=None)
def test_even_a_budget_too_small_for_anything_gives_a_legal_view(
    messages: list[Message], tokens: int
) -> None:
    assert grammar_faults(view(messages, tokens=tokens).messages) == []


def test_a_picture_alone_that_does_not_fit_leaves_a_mark() -> None:
    seen = view([user("", media=("ab12",))], tokens=4)

    assert [message.content for message in seen.messages] == [BARE_MARK]


def test_a_limit_of_messages_keeps_the_newest_ones() -> None:
    """A peer's behaviour 1."""
    seen = view(
        numbered(*(user(f"u{number}", turn=f"t{number}") for number in range(10))), tokens=10**6, limit=4
    )

    assert texts(seen) == ["u6\n\nu7\n\nu8\n\nu9"]


def test_a_window_full_of_tool_groups_keeps_every_pair() -> None:
    """A peer's behaviour 3."""
    messages = numbered(user("go", turn="t"), *rounds(40, of_tokens=5, turn="t"))
    seen = view(messages, tokens=10**6)

    assert list(seen.messages) == messages


def test_a_failed_turn_that_does_not_fit_is_not_joined_to_the_next_question() -> None:
    messages = numbered(user("boat " * 3000, turn="t1"), user("hi", turn="t2"))

    assert texts(view(messages, tokens=500)) == ["hi"]


def test_rows_that_fit_are_chosen_by_whole_turns() -> None:
    """A peer's behaviour 7: three exchanges of 100 tokens, a limit of 120."""
    one = [replace(message, tokens=50) for n in (1, 2, 3) for message in (user(f"u{n}"), answer(f"a{n}"))]
    messages = numbered(*one[:-1], replace(answer("a3"), tokens=45), replace(user("now"), tokens=5))
    seen = view(messages, tokens=120)

    assert texts(seen) == ["u3", "a3", "now"]


def test_a_limit_below_the_running_turn_is_exceeded_by_it() -> None:
    """A peer's behaviour 7, second half: back to the user message, whatever the limit."""
    seen = view(
        numbered(user("old"), answer("ok"), user("q"), calls("c"), result("c", "r")), tokens=1000, limit=1
    )

    assert texts(seen) == ["q", "", "r"]
    assert seen.from_seq == 3


def test_user_messages_that_one_turn_collected_stay_together() -> None:
    messages = numbered(
        user("old", turn="t1"), answer("ok", turn="t1"), user("first", turn="t2"), user("second", turn="t2")
    )

    assert texts(view(messages, tokens=1000, limit=1)) == ["first\n\nsecond"]


def test_what_was_said_into_a_running_turn_does_not_cut_the_question_off() -> None:
    messages = numbered(
        user("old", turn="t1"), answer("ok", turn="t1"),
        user("q", turn="t2"), calls("c", turn="t2"), result("c", "r", turn="t2"), user("hurry", turn="t2"),
    )  # fmt: skip

    assert texts(view(messages, tokens=1000, limit=2)) == ["q", "", "r", "hurry"]


def test_under_the_budget_nothing_is_changed() -> None:
    messages = numbered(user("q"), calls("c1"), result("c1", "new"))

    assert list(view(messages, tokens=100_000).messages) == messages


def test_the_last_answer_survives_word_for_word_where_its_turn_does_not_fit() -> None:
    """Words like "the second one" mean nothing without the choice before it."""
    choice = "1) the early boat\n2) the late train"
    messages = numbered(
        user("which?", turn="t1"), *rounds(9, of_tokens=400, turn="t1"), answer(choice, turn="t1"),
        user("2", turn="t2"),
    )  # fmt: skip

    assert texts(view(messages, tokens=600)) == ["which?", choice, "2"]


def test_the_last_answer_survives_a_question_larger_than_the_window() -> None:
    """After a paste of three windows the chat goes on as if nothing had happened."""
    messages = numbered(user("boat " * 6000), answer("I read the beginning."), user("hi"))
    seen = view(messages, tokens=1500)

    assert texts(seen)[1:] == ["I read the beginning.", "hi"]
    assert texts(seen)[0].startswith("boat boat")
    assert cut_ones(seen) == [1]


def test_a_message_larger_than_the_window_is_cut_with_a_mark_that_names_it() -> None:
    seen = view(numbered(user("old"), answer("ok"), user("begin " + "boat " * 9000 + "end")), tokens=1500)
    (shown,) = texts(seen)

    assert shown.startswith("begin boat")
    assert shown.endswith("boat end")
    assert "telegram:42#3" in shown
    assert 1200 < true_cost(seen) <= 1500
    assert cut_ones(seen) == [3]


def test_a_mark_names_all_messages_that_were_joined() -> None:
    seen = view(numbered(*(user("boat " * 3000, turn="t") for _ in range(3))), tokens=1500)

    assert "telegram:42#1 to telegram:42#3" in texts(seen)[0]


def test_tool_output_shrinks_before_anything_else() -> None:
    messages = numbered(user("q " * 200, turn="t"), *rounds(3, of_tokens=2000, turn="t"))
    seen = view(messages, tokens=3000)

    assert texts(seen)[0] == "q " * 200
    assert len(seen.messages) == len(messages)
    assert cut_ones(seen) == [3, 5, 7]
    assert "telegram:42#5" in texts(seen)[4]


def test_a_small_result_is_not_cut_for_the_sake_of_a_large_one() -> None:
    messages = numbered(user("q"), calls("a", "b"), result("a", "seven"), result("b", "boat " * 9000))

    assert texts(view(messages, tokens=1000))[2] == "seven"


def test_one_user_message_and_eighty_rounds_fit_by_losing_the_oldest_rounds() -> None:
    messages = numbered(user("go", turn="t"), *rounds(80, of_tokens=1500, turn="t"))
    seen = view(messages, tokens=3000)

    assert true_cost(seen) <= 3000
    assert texts(seen)[0] == "go"
    assert [message.seq for message in seen.messages[-2:]] == [160, 161]
    assert 8 < len(seen.messages) < 60


def test_dropping_rounds_joins_what_was_said_between_them() -> None:
    messages = numbered(
        user("q", turn="t"), calls("a", turn="t"), result("a", "boat " * 900, turn="t"), user("hurry", turn="t"),
        *rounds(1, of_tokens=20, turn="t"),
    )  # fmt: skip

    assert texts(view(messages, tokens=120))[0] == "q\n\nhurry"


def test_a_round_whose_wrapping_alone_is_too_large_goes_and_the_question_stays() -> None:
    ids = [f"c{number}" for number in range(60)]
    messages = numbered(user("q"), calls(*ids), *(result(id_, "r") for id_ in ids))

    assert texts(view(messages, tokens=384)) == ["q"]


def test_arguments_larger_than_the_window_are_cut_and_stay_an_object() -> None:
    arguments = json.dumps({"path": "a.md", "text": 'She said "hm".\n' * 3000})
    messages = numbered(user("write it"), calls("c1", arguments=arguments), result("c1", "written"))
    seen = view(messages, tokens=500)
    call = seen.messages[1]

    assert isinstance(call, AssistantMessage)
    assert json.loads(call.tool_calls[0].arguments)["shortened"].startswith('{"path": "a.md"')
    assert texts(seen)[2] == "written"
    assert true_cost(seen) <= 500


def test_reasoning_gives_way_but_is_never_gone() -> None:
    """Some providers want it beside every call."""
    thinking = replace(calls("c1"), reasoning="then again " * 3000)
    thinking = replace(thinking, tokens=message_tokens(thinking))
    seen = view(numbered(user("q"), thinking, result("c1", "r")), tokens=400)
    shown = seen.messages[1]

    assert isinstance(shown, AssistantMessage)
    assert shown.reasoning.startswith("then again")


def test_tool_output_beyond_sixteen_thousand_characters_is_cut_in_every_view() -> None:
    messages = numbered(
        user("q"), calls("c1", "c2"), result("c1", "x" * RESULT_CHARS), result("c2", "y" * 20_000)
    )
    seen = view(messages, tokens=10**6)

    assert texts(seen)[2] == "x" * RESULT_CHARS
    assert len(texts(seen)[3]) <= RESULT_CHARS
    assert re.search(r"\d,\d{3} characters .*telegram:42#4", texts(seen)[3])
    assert cut_ones(seen) == [4]


def test_attachments_give_way_to_words_only_where_they_leave_no_room() -> None:
    album = user("boat " * 2000, media=tuple("abcd"))
    roomy = view(numbered(album), tokens=1500).messages[0]
    tight = view(numbered(album), tokens=400).messages[0]

    assert isinstance(roomy, UserMessage)
    assert isinstance(tight, UserMessage)
    assert roomy.media == tuple("abcd")
    assert tight.media == ()
    assert tight.content.startswith("boat")


def test_an_attachment_without_words_is_shown() -> None:
    """A peer's behaviour 9."""
    messages = numbered(user("", media=("ab12",)), answer("a boat"), user("thanks"))

    assert list(view(messages, tokens=1000).messages) == messages


def test_messages_that_were_never_counted_are_counted() -> None:
    messages = [replace(message, tokens=0) for message in numbered(user("boat " * 900), user("hi"))]

    assert true_cost(view(messages, tokens=300)) <= 300


def test_a_calibrated_session_gets_less_into_the_same_budget() -> None:
    messages = numbered(
        *(message for n in range(20) for message in (user(f"q{n}"), answer("boat " * 40))), user("now")
    )
    plain = view(messages, tokens=600)
    careful = view(messages, tokens=600, factor=2.0)

    assert true_cost(careful) <= 300 < true_cost(plain)


def test_room_is_kept_for_the_answer_and_is_at_most_a_quarter() -> None:
    assert Budget(window=8192, max_output=1024).input_tokens == 7168
    assert Budget(window=2000, max_output=1024).input_tokens == 1500
    assert Budget(window=512, max_output=10).input_tokens == 502


def test_a_smaller_window_that_was_learned_is_believed() -> None:
    learned = Budget(window=8192, max_output=1024, window_cap=2000)

    assert learned.input_tokens == 1500
    assert learned.target_tokens() == 750
    assert Budget(window=1000, max_output=100, window_cap=2000).input_tokens == 900


def test_consolidation_cuts_at_the_first_turn_that_removes_enough() -> None:
    """A peer's behaviour 29."""
    messages = [
        replace(message, tokens=120)
        for message in numbered(user("u1"), answer("a1"), user("u2"), answer("a2"), user("u3"))
    ]
    cut = cut_point(messages, remove_tokens=300)

    assert cut is not None
    assert (cut.seq, cut.border) == (5, Border.TURN)


def test_where_no_turn_removes_enough_consolidation_cuts_at_the_last_one() -> None:
    cut = cut_point(numbered(user("u1"), answer("a1"), user("u2"), answer("a2")), remove_tokens=10**6)

    assert cut is not None
    assert cut.seq == 3


def test_a_single_turn_is_cut_between_its_rounds() -> None:
    """With no user message after the first, consolidation never ran."""
    cut = cut_point(numbered(user("go"), *rounds(80, of_tokens=100, turn="")), remove_tokens=500)

    assert cut is not None
    assert cut.border is Border.ROUND
    assert cut.seq == 10


@pytest.mark.parametrize("messages", [[], [user("q")], [user("q"), calls("c"), result("c", "r")]])
def test_where_there_is_no_border_nothing_is_cut(messages: list[Message]) -> None:
    assert cut_point(numbered(*messages), remove_tokens=1) is None


@given(damaged_history, st.integers(0, 3000))
@settings(max_examples=80, deadline=None)
def test_no_cut_parts_a_call_from_its_results(messages: list[Message], remove: int) -> None:
    cut = cut_point(messages, remove_tokens=remove)
    left = [] if cut is None else [message for message in messages if message.seq >= cut.seq]

    assert not left or not isinstance(left[0], ToolMessage)
    assert cut is None or cut.border is Border.ROUND or isinstance(left[0], UserMessage)


@given(st.lists(st.integers(0, 500), max_size=8), st.integers(-5, 3000))
@settings(max_examples=100)
def test_the_water_level_fills_the_room_and_no_more(sizes: list[int], room: int) -> None:
    level = water_level(sizes, room=room)
    filled = sum(min(size, level) for size in sizes)

    assert filled <= max(room, 0)
    assert filled == sum(sizes) or filled + len(sizes) > room


def _is_user(message: Message) -> bool:
    return isinstance(message, UserMessage)
