"""File names that any text can have: readable, safe everywhere, and never the same for two texts."""

import hashlib
import re
import unicodedata

_ESCAPE = re.compile(r"%([0-9a-f]{2})|\+([a-z])|(_)")
# 128 bits: nobody finds two texts with the same ones.
_HASH_CHARS = 32


def safe_name(text: str, *, limit_bytes: int = 150, escape: str = "") -> str:
    """The name of a text; two texts never share one, not even where letter case or Unicode form is ignored.

    Small letters, digits, `-` and `.` stay, and so do letters of scripts without case. `:` becomes `_`, a capital
    `+` with its small letter, everything else (and the characters in `escape`) its bytes as `%xx`. A name that
    would be longer than `limit_bytes` is cut and ends in `~` and a hash of the text.
    """
    pieces = [_escaped(char, first=not index, escape=escape) for index, char in enumerate(text)] or ["%"]
    name = "".join(pieces)
    if len(name.encode()) <= limit_bytes:
        return name
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    room = limit_bytes - _HASH_CHARS - 1
    return f"{_cut(pieces, room)}~{digest}"


def original_text(name: str) -> str | None:
    """The text whose `safe_name` this is, or None where only a hash was kept or it is no such name."""
    try:
        text = "" if name == "%" else _unescaped(name)
        same = safe_name(text, limit_bytes=len(name.encode())) == name
    except UnicodeError:
        return None
    return text if same and "~" not in name else None


def _escaped(char: str, *, first: bool, escape: str) -> str:
    if char in escape or (first and char == "."):
        return _bytes_of(char)
    if char == ":":
        return "_"
    if char.isascii():
        if char.isupper():
            return "+" + char.lower()
        return char if char.isalnum() or char in "-." else _bytes_of(char)
    return char if _is_caseless_letter(char) else _bytes_of(char)


def _is_caseless_letter(char: str) -> bool:
    # A file system that folds case or normalises leaves such a letter as it is.
    return char.isalnum() and char == char.lower() == char.upper() == unicodedata.normalize("NFKD", char)


def _bytes_of(char: str) -> str:
    return "".join(f"%{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))


def _cut(pieces: list[str], room: int) -> str:
    kept = ""
    for piece in pieces:
        if len((kept + piece).encode()) > room:
            break
        kept += piece
    return kept


def _unescaped(name: str) -> str:
    out = bytearray()
    end = 0
    for match in _ESCAPE.finditer(name):
        code, capital, _colon = match.groups()
        out += name[end : match.start()].encode("utf-8", "surrogatepass")
        out += bytes.fromhex(code) if code else capital.upper().encode() if capital else b":"
        end = match.end()
    out += name[end:].encode("utf-8", "surrogatepass")
    return out.decode("utf-8", "surrogatepass")
