"""Numbers with their nouns: "1 message", "2,000 messages"."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """The number and its noun; a plural that isn't made with an s is named."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


class Count(int):
    """A number whose format names its noun: `{lines:line}`, `{tries:try|tries}`; without one it is a number."""

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(int(self))
        noun, _, plural = spec.partition("|")
        return counted(int(self), noun, plural)
