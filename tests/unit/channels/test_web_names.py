from hypothesis import given, settings
from hypothesis import strategies as st

from channels.web.names import all_requests, client_id, message_id, request_id, stop_id

NAMES = st.text(min_size=1, max_size=30)


@given(chat=NAMES, name=NAMES)
@settings(deadline=None, max_examples=200)
def test_a_clients_own_id_comes_back_as_it_was(chat: str, name: str) -> None:
    assert client_id(message_id("web", chat, name), channel="web", chat_id=chat) == name


@given(one=st.tuples(NAMES, NAMES), other=st.tuples(NAMES, NAMES))
@settings(deadline=None, max_examples=200)
def test_no_two_messages_share_an_id(one: tuple[str, str], other: tuple[str, str]) -> None:
    ids = {
        message_id("web", *one),
        message_id("web", *other),
        request_id("web", *one),
        stop_id("web", *one),
    }

    assert len(ids) == (4 if one != other else 3)


@given(chat=NAMES, name=NAMES)
@settings(deadline=None, max_examples=200)
def test_a_request_is_told_from_a_frame(chat: str, name: str) -> None:
    asked, said = request_id("web", chat, name), message_id("web", chat, name)

    assert all_requests([asked], channel="web", chat_id=chat)
    assert not all_requests([asked, said], channel="web", chat_id=chat)
    assert not all_requests([], channel="web", chat_id=chat)


@given(chat=NAMES, name=NAMES)
@settings(deadline=None, max_examples=200)
def test_a_stop_has_no_id_of_its_clients(chat: str, name: str) -> None:
    assert client_id(stop_id("web", chat, name), channel="web", chat_id=chat) is None


def test_what_no_client_wrote_keeps_its_name() -> None:
    assert client_id("telegram:7/1", channel="web", chat_id="a") == "telegram:7/1"
    assert message_id("web", "desk", "1") == "web:desk/1"
