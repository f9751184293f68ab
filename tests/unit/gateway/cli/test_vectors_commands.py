"""What a shell sees where vectors are configured and can't be made."""

import json
from pathlib import Path

import pytest

from tests.helpers.command_line import Mneme


@pytest.fixture(name="said")
def _said(tmp_path: Path, mneme: Mneme, monkeypatch: pytest.MonkeyPatch) -> None:
    """A conversation, and an endpoint of vectors that nobody answers at."""
    monkeypatch.setenv("MNEME_MEMORY__EMBEDDINGS", "vectors-a")
    monkeypatch.setenv("MNEME_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "The harbour opens at noon."}) + "\n")
    mneme("sessions", "import", str(file), "--key", "web:ann")


@pytest.mark.usefixtures("said")
def test_a_search_goes_on_by_words_and_its_json_is_whole(mneme: Mneme) -> None:
    found = mneme("memory", "search", "harbour", "--json")

    assert [hit["ref"] for hit in json.loads(found.stdout)["hits"]] == ["web:ann#1"]
    assert "embedder_failed" not in found.stderr


@pytest.mark.usefixtures("said")
def test_reindex_says_in_one_line_that_there_are_no_vectors(mneme: Mneme) -> None:
    anew = mneme("memory", "reindex")

    assert anew.stdout == "person-owner\t1\t1\n"
    assert anew.stderr == (
        "mneme: there are no vectors, so the search goes by words alone: "
        "vectors-a at 127.0.0.1:9 can't be reached; is the server running?\n"
    )
