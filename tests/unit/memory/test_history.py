import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from memory.messages import AssistantMessage, Message, ToolMessage, UserMessage
from memory.tokens import message_tokens
from memory.view.history import LegalHistory, legal_history, problems
from memory.view.pairing import NO_RESULT
from memory.view.repairs import RepairKind
from memory.view.wording import NO_OUTPUT
from tests.helpers.grammar import grammar_faults
from tests.helpers.histories import (
    BROKEN_ARGUMENTS,
    answer,
    calls,
    damaged_history,
    numbered,
    result,
    user,
    valid_history,
)


def legal(*messages: Message) -> LegalHistory:
    """The messages, numbered, as they are sent; checked by the independent judge."""
    history = legal_history(numbered(*messages))
    assert grammar_faults(history.messages) == []
    return history


def shape(history: LegalHistory) -> list[str]:
    """Each message as `U:text`, `A[ids]:text` or `T[id]:text`."""
    lines = []
    for message in history.messages:
        match message:
            case UserMessage():
                lines.append(f"U:{message.content}")
            case ToolMessage():
                lines.append(f"T[{message.tool_call_id}]:{message.content}")
            case AssistantMessage():
                ids = ",".join(call.id for call in message.tool_calls)
                lines.append(f"A[{ids}]:{message.content}" if ids else f"A:{message.content}")
    return lines


@given(damaged_history)
@settings(max_examples=200, deadline=None)
def test_whatever_lies_in_the_store_what_is_sent_is_legal(messages: list[Message]) -> None:
    history = legal_history(messages)

    assert grammar_faults(history.messages) == []


@given(valid_history)
@settings(max_examples=60, deadline=None)
def test_a_valid_history_passes_unchanged(messages: list[Message]) -> None:
    history = legal_history(messages)

    assert len(history.messages) == len(messages)
    assert all(sent is stored for sent, stored in zip(history.messages, messages, strict=True))
    assert history.repairs == {}


@given(damaged_history)
@settings(max_examples=80, deadline=None)
def test_repairing_what_was_repaired_repairs_nothing(messages: list[Message]) -> None:
    once = legal_history(messages)
    twice = legal_history(once.messages)

    assert twice.repairs == {}
    assert twice.messages == once.messages


@given(damaged_history)
@settings(max_examples=80, deadline=None)
def test_no_text_stands_under_the_user_that_no_user_wrote(messages: list[Message]) -> None:
    written = _mended(
        "\n\n".join(m.content for m in messages if isinstance(m, UserMessage) and m.content.strip())
    )
    sent = [m.content for m in legal_history(messages).messages if isinstance(m, UserMessage)]

    assert all(text in written for text in sent)


@given(damaged_history)
@settings(max_examples=80, deadline=None)
def test_a_result_is_sent_only_with_the_call_that_it_answers(messages: list[Message]) -> None:
    sent = legal_history(messages).messages
    stored = {_mended(m.content) for m in messages if isinstance(m, ToolMessage)} | {NO_OUTPUT, NO_RESULT}

    assert all(m.content in stored for m in sent if isinstance(m, ToolMessage))


@given(damaged_history)
@settings(max_examples=60, deadline=None)
def test_the_tokens_of_a_repaired_message_cover_what_it_costs(messages: list[Message]) -> None:
    for message in legal_history(messages).messages:
        assert message.tokens == 0 or message.tokens >= message_tokens(message)


def test_an_orphan_result_is_left_out_and_the_rest_is_kept() -> None:
    """One such result made strict endpoints refuse every later turn."""
    history = legal(
        user("run it"), calls("c1"), result("c1", "ok"), result("c2", "listing"), answer("done"), user("next")
    )

    assert shape(history) == ["U:run it", "A[c1]:", "T[c1]:ok", "A:done", "U:next"]
    assert history.repairs == {"orphan_result": 1}


def test_of_two_results_for_one_call_the_first_is_kept_and_one_without_id_is_dropped() -> None:
    history = legal(
        user("q"),
        calls("c1"),
        result("c1", "one"),
        result("c1", "two"),
        result("", "x"),
        answer("ok"),
        user("next"),
    )

    assert shape(history) == ["U:q", "A[c1]:", "T[c1]:one", "A:ok", "U:next"]
    assert history.repairs == {"doubled_result": 1, "orphan_result": 1}


def test_a_call_without_an_id_gets_one_and_its_result_the_same() -> None:
    history = legal(
        user("q"), calls("", ""), result("", "first"), result("", "second"), answer("ok"), user("next")
    )

    assert shape(history) == [
        "U:q",
        "A[call_2_0,call_2_1]:",
        "T[call_2_0]:first",
        "T[call_2_1]:second",
        "A:ok",
        "U:next",
    ]
    assert history.repairs == {"empty_id": 2}


def test_an_id_that_a_later_turn_uses_again_is_renamed_and_keeps_its_own_result() -> None:
    """A dedup over the whole history threw the second result away."""
    history = legal(
        user("one"), calls("run:0"), result("run:0", "A"), answer("a"),
        user("two"), calls("run:0"), result("run:0", "B"), answer("b"), user("three"),
    )  # fmt: skip

    assert shape(history)[1:3] == ["A[run:0]:", "T[run:0]:A"]
    assert shape(history)[5:7] == ["A[call_6_0]:", "T[call_6_0]:B"]
    assert history.repairs == {"reused_id": 1}


def test_a_derived_id_never_meets_one_that_a_model_gave() -> None:
    history = legal(
        user("q"), calls("call_4_0"), result("call_4_0", "A"), calls("call_4_0"), result("call_4_0", "B"),
    )  # fmt: skip

    assert shape(history)[1:] == ["A[call_4_0]:", "T[call_4_0]:A", "A[call_4_0_2]:", "T[call_4_0_2]:B"]


def test_an_id_twice_in_one_message_takes_its_results_in_order() -> None:
    history = legal(user("q"), calls("c", "c"), result("c", "one"), result("c", "two"), result("c", "three"))

    assert shape(history) == ["U:q", "A[c,call_2_1]:", "T[c]:one", "T[call_2_1]:two"]
    assert history.repairs == {"reused_id": 1, "doubled_result": 1}


def test_a_result_is_never_paired_with_a_call_before_the_nearest_assistant_message() -> None:
    history = legal(user("q"), calls("c1"), answer("meanwhile"), result("c1", "late"))

    assert shape(history) == ["U:q", "A[c1]:", f"T[c1]:{NO_RESULT}"]
    assert history.repairs == {"missing_result": 1, "orphan_result": 1, "trailing_assistant": 1}


def test_a_call_without_its_result_gets_one_that_says_so() -> None:
    history = legal(user("q"), calls("c1", "c2"), result("c2", "two"), user("and?"))

    assert shape(history) == ["U:q", "A[c1,c2]:", f"T[c1]:{NO_RESULT}", "T[c2]:two", "U:and?"]
    assert history.repairs == {"missing_result": 1}


def test_results_follow_their_calls_in_the_order_of_the_calls() -> None:
    """What was said while the tool ran comes after its result."""
    history = legal(user("q"), calls("c1", "c2"), result("c2", "two"), user("hurry"), result("c1", "one"))

    assert shape(history) == ["U:q", "A[c1,c2]:", "T[c1]:one", "T[c2]:two", "U:hurry"]
    assert history.repairs == {"moved_result": 1}


def test_results_of_tools_that_ran_side_by_side_are_put_in_order_and_that_mends_nothing() -> None:
    """Each is stored when it is there; only where something else stands between them was the store at fault."""
    ours = (user("q"), calls("t/1/0", "t/1/1", turn="t"), result("t/1/1", "quick"), result("t/1/0", "slow"))

    history = legal(*ours)
    parted = legal(*ours[:3], user("hurry"), ours[3])

    assert shape(history) == ["U:q", "A[t/1/0,t/1/1]:", "T[t/1/0]:slow", "T[t/1/1]:quick"]
    assert history.repairs == {}
    assert parted.repairs == {"moved_result": 1}


@pytest.mark.parametrize("nothing", ["", " ", "\n\n"])
def test_an_answer_with_nothing_in_it_is_not_sent(nothing: str) -> None:
    history = legal(user("hi"), answer(nothing), user("hi again"))

    assert shape(history) == ["U:hi\n\nhi again"]
    assert history.repairs == {"empty_message": 1, "adjacent_users": 1}


def test_blank_text_beside_a_call_is_left_out_and_the_call_is_kept() -> None:
    history = legal(user("q"), calls("c1", text="\n"), result("c1", "ok"))

    assert shape(history) == ["U:q", "A[c1]:", "T[c1]:ok"]
    assert history.repairs == {"blank_text": 1}


def test_a_result_without_text_says_that_there_is_none() -> None:
    assert shape(legal(user("q"), calls("c1"), result("c1", "")))[-1] == f"T[c1]:{NO_OUTPUT}"


def test_failed_turns_leave_no_two_user_messages_in_a_row() -> None:
    """What stands under the user is what the user wrote, joined with a blank line."""
    history = legal(user("one", media=("ab",)), user("two"), user("three", media=("cd",)))

    assert shape(history) == ["U:one\n\ntwo\n\nthree"]
    assert history.messages[0].seq == 3
    assert isinstance(history.messages[0], UserMessage)
    assert history.messages[0].media == ("ab", "cd")


def test_what_one_turn_answers_is_joined_and_counts_as_no_repair() -> None:
    came_together = [replace(user(text), turn="t") for text in ("one", "two", "three")]
    history = legal(*came_together, answer("all of them"), user("next"))

    assert shape(history) == ["U:one\n\ntwo\n\nthree", "A:all of them", "U:next"]
    assert history.repairs == {}


def test_two_answers_in_a_row_become_one_also_where_the_second_calls_a_tool() -> None:
    history = legal(user("q"), answer("a"), answer("b"), calls("c1", text="let me look"), result("c1", "ok"))

    assert shape(history) == ["U:q", "A[c1]:a\n\nb\n\nlet me look", "T[c1]:ok"]


@pytest.mark.parametrize("arguments", [text for text in BROKEN_ARGUMENTS if text.strip()])
def test_arguments_that_are_no_object_are_wrapped_in_one_that_keeps_them(arguments: str) -> None:
    """The model wrote broken JSON, and the request must still be valid."""
    sent = legal(user("q"), calls("c1", arguments=arguments), result("c1", "error: bad arguments")).messages[
        1
    ]

    assert isinstance(sent, AssistantMessage)
    assert json.loads(sent.tool_calls[0].arguments) == {"unparsed": arguments}


def test_no_arguments_are_an_object_without_fields() -> None:
    sent = legal(user("q"), calls("c1", arguments=""), result("c1", "ok")).messages[1]

    assert isinstance(sent, AssistantMessage)
    assert sent.tool_calls[0].arguments == "{}"


def test_arguments_nested_without_end_are_wrapped() -> None:
    history = legal(user("q"), calls("c1", arguments='{"a":' * 5000 + "1" + "}" * 5000), result("c1", "ok"))

    assert history.repairs == {"bad_arguments": 1}


def test_a_tool_name_that_endpoints_refuse_is_respelled() -> None:
    sent = legal(user("q"), calls("c1", name="read file!"), result("c1", "ok")).messages[1]

    assert isinstance(sent, AssistantMessage)
    assert sent.tool_calls[0].name == "read_file_"


def test_lone_surrogates_are_replaced_and_pairs_become_the_character() -> None:
    history = legal(
        user("a\udc80b \ud83d\ude00"), calls("c\udc80", arguments="{\ud800}"), result("c\udc80", "\udfff")
    )

    assert shape(history) == ["U:a\ufffdb 😀", "A[c\ufffd]:", "T[c\ufffd]:\ufffd"]
    assert history.repairs == {"surrogate": 3, "bad_arguments": 1}


def test_an_unusable_start_is_cut_at_the_first_user_message() -> None:
    history = legal(answer("old"), calls("c1"), result("c1", "x"), user("new"), answer("ok"), user("newest"))

    assert shape(history) == ["U:new", "A:ok", "U:newest"]
    assert history.repairs == {"leading_message": 3}


def test_what_is_under_the_limit_keeps_its_newest_result() -> None:
    """A trim helper dropped it."""
    messages = numbered(user("q"), calls("c1"), result("c1", "new"))

    assert legal_history(messages).messages == tuple(messages)


def test_attachments_without_a_word_are_a_message() -> None:
    history = legal(user("", media=("ab12",)), answer("a boat"), user("", media=("cd34",)))

    assert history.repairs == {}


def test_the_last_message_is_never_the_assistants() -> None:
    assert shape(legal(user("q"), answer("half an ans"))) == ["U:q"]


def test_nothing_at_all_is_legal() -> None:
    assert legal_history([]).messages == ()


def test_reasoning_stays_with_its_message() -> None:
    thinking = replace(calls("c1"), reasoning="look first")
    sent = legal(user("q"), thinking, result("c1", "ok")).messages[1]

    assert isinstance(sent, AssistantMessage)
    assert sent.reasoning == "look first"


def test_problems_name_message_kind_and_repair() -> None:
    found = problems(numbered(user("q"), result("c9", "stray"), calls("c1"), user("next")))

    assert [(problem.seq, problem.kind) for problem in found] == [
        (2, RepairKind.ORPHAN_RESULT),
        (3, RepairKind.MISSING_RESULT),
    ]
    assert all(problem.repair for problem in found)


def test_a_session_that_ends_with_an_answer_has_no_problem() -> None:
    assert problems(numbered(user("q"), answer("a"))) == []


def _mended(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
