"""What comes first stays first: in time, by comparison, as cause and effect, as doer and done to."""

import pytest

from memory.claims.reasons import Reason
from tests.helpers.claims import verdict


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I soak the beans before I fry the onions.", "Ann fries the onions before soaking the beans."),
        ("Rinse the rice first, then soak it.", "Ann soaks the rice, then rinses it."),
        ("After the swim, we had lunch.", "Ann swam after lunch."),
        ("My left ear hears better than my right one.", "Ann's right ear hears better than the left."),
        (
            "The bridge is shut, so the shop has no guests.",
            "The bridge is shut because the shop has no guests.",
        ),
        ("Our neighbour Carl borrowed the saw from us.", "Ann borrowed the saw from the neighbour Carl."),
        ("The tenant is suing the housing board.", "The housing board is suing the tenant."),
        ("先淘米，再泡半小时。", "Ann先泡半小时，再淘米。"),
        ("车过了检查站才爆的胎。", "车在检查站之前爆了胎。"),
        ("老板亏了钱，所以酒楼换了东家。", "因为酒楼换了东家，老板亏了钱。"),
        ("大壮借给我三千块。", "Ann借给大壮三千块。"),
    ],
)
def test_what_changed_places_is_rejected(said: str, claim: str) -> None:
    assert verdict(said, claim) is Reason.ROLES_CHANGED


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I soak the beans before I fry the onions.", "Ann fries the onions after soaking the beans."),
        ("Rinse the rice first, then soak it.", "Ann rinses the rice before soaking it."),
        ("My left ear hears better than my right ear.", "Ann's left ear hears better than the right ear."),
        (
            "The bridge is shut, so the shop has no guests.",
            "The shop has no guests because the bridge is shut.",
        ),
        ("Our neighbour Carl borrowed the saw from us.", "The neighbour Carl borrowed the saw from Ann."),
        ("Our neighbour Carl borrowed the saw from us.", "The saw was borrowed by the neighbour Carl."),
        ("先淘米，再泡半小时。", "Ann先淘米再泡半小时。"),
        ("老板亏了钱，所以酒楼换了东家。", "因为老板亏了钱，酒楼换了东家。"),
        ("大壮借给我三千块。", "大壮借给Ann三千块。"),
    ],
)
def test_what_stayed_in_its_place_is_kept(said: str, claim: str) -> None:
    assert verdict(said, claim) is None
