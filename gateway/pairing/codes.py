"""Pairing codes: short, read out without doubt, and not to be guessed."""

import secrets

ALPHABET = "BCDFGHJKMNPQRSTVWXYZ23456789"
"""No letter looks like a digit, and without vowels no code is a word."""
LENGTH = 6
"""480 million codes, of which a few are open, for ten minutes; only the operator may try one."""


def new_code() -> str:
    """A code that nobody has seen."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def typed_code(text: str) -> str:
    """The code that somebody typed: small letters, blanks and dashes are forgiven."""
    return "".join(text.split()).replace("-", "").upper()
