import pytest

from memory.claims.claim import Claim
from memory.longterm.support import unsupported
from tests.helpers.longterm import claim

CHINESE = claim("Ann prefers answers in Chinese.")
RENT = claim("The rent is 900 euro and the deposit is 1800 euro.")
BERLIN = claim("Ann might move to Berlin in May.")
COFFEE = claim("Ann hates coffee.")
TEA = claim("用户喜欢喝茶。")


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Ann prefers answers in Chinese", [CHINESE]),
        ("Prefers answers in Chinese.", [CHINESE]),
        ("The user prefers Chinese answers", [CHINESE]),
        ("Rent: 900 euro", [RENT]),
        ("Might move to Berlin", [BERLIN]),
        ("Prefers answers in Chinese; hates coffee", [CHINESE, COFFEE]),
        ("用户喜欢喝茶", [TEA]),
    ],
)
def test_a_line_may_say_its_claims_in_their_own_words(text: str, claims: list[Claim]) -> None:
    assert unsupported(text, claims=claims) is None


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Prefers answers in German", [CHINESE]),
        ("Does not prefer answers in Chinese", [CHINESE]),
        ("Prefers long answers in Chinese", [CHINESE]),
        ("The rent is 1800 euro", [RENT]),
        ("The rent is 950 euro", [RENT]),
        ("Ann transfers 900 euro to Bob", [RENT]),
        ("Moves to Berlin in May", [BERLIN]),
        ("Likes coffee", [COFFEE]),
        ("Hates tea", [COFFEE]),
        ("Prefers coffee; hates answers in Chinese", [CHINESE, COFFEE]),
        ("用户不喜欢喝茶", [TEA]),
        ("用户喜欢喝咖啡", [TEA]),
    ],
)
def test_a_line_may_say_nothing_more(text: str, claims: list[Claim]) -> None:
    assert unsupported(text, claims=claims)
