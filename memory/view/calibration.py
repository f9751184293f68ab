"""What a provider's own token counts teach about our estimates and about its real window (P7); all pure."""

LEAST_FACTOR = 0.5
MOST_FACTOR = 4.0
"""Tokenizers in use count between half of and four times what cl100k counts, whatever the language."""

FAST = 0.7
"""Upwards: an estimate that is too low makes requests fail."""

SLOW = 0.1
"""Downwards: an estimate that is too high costs a little room."""

CUT_SHARE = 0.45
"""A provider that counts less than this part of what it was sent has not read all of it. Tokenizers made for Chinese
count Chinese text at little more than half of what cl100k does, and must not be taken for a cut."""

LEAST_WINDOW = 256
"""Tokens. A count below this is no cut prompt but a placeholder, or leaves out what the provider had cached."""

SHRINK = 0.5
"""After "too long": two retries reach a quarter, which covers the worst tokenizer."""


def learn(factor: float, *, estimated: int, reported: int) -> float:
    """The factor after a request that we put at `estimated` tokens (before calibration) and the provider at `reported`.

    Quick to rise, slow to fall, between 0.5 and 4. A count that says the prompt was cut, or none, teaches nothing.
    """
    if estimated <= 0 or reported < LEAST_WINDOW or is_cut(factor, estimated=estimated, reported=reported):
        return factor
    ratio = min(max(reported / estimated, LEAST_FACTOR), MOST_FACTOR)
    return factor + (FAST if ratio > factor else SLOW) * (ratio - factor)


def is_cut(factor: float, *, estimated: int, reported: int) -> bool:
    """Whether the provider counted far less than it was sent: a silent cut."""
    return LEAST_WINDOW <= reported < CUT_SHARE * max(factor, 1.0) * estimated


def notice_silent_cut(window_cap: int, *, factor: float, estimated: int, reported: int) -> int:
    """The window to believe in from now on: what the provider read, when it silently cut; else as before.

    0 means no smaller one than configured. A changed value is to be said to the operator.
    """
    if not is_cut(factor, estimated=estimated, reported=reported):
        return window_cap
    return min(reported, window_cap or reported)


def after_overflow(window_cap: int, *, window: int, sent: int, limit: int = 0) -> int:
    """The window to believe in after "too long".

    `sent` is the calibrated estimate of what was refused, `limit` the window that the provider named, if it did.
    """
    believed = min(window, window_cap or window)
    if LEAST_WINDOW <= limit < believed:
        return limit
    return max(LEAST_WINDOW, int(min(believed, max(sent, LEAST_WINDOW)) * SHRINK))
