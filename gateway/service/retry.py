"""How long to wait before trying again: exponential, capped, spread by chance; pure but for the given generator."""

from dataclasses import dataclass
from random import Random

_HIGHEST_EXPONENT = 64
"""Beyond, doubling would overflow long after every sensible cap is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Seconds: `first` doubles (or grows by `factor`) up to `cap`; `jitter` is the part that chance decides."""

    first: float = 1.0
    cap: float = 60.0
    factor: float = 2.0
    jitter: float = 0.5

    def delay(self, attempt: int, *, rng: Random, named: float | None = None) -> float:
        """Before the try after failure number `attempt` (1, 2, 3 …).

        `named` is a time that the other side asked for: never tried earlier, and a little later by chance so that
        many waiters don't return in one instant. It may exceed the cap: they know better.
        """
        grown = self.first * self.factor ** min(max(attempt, 1) - 1, _HIGHEST_EXPONENT)
        wait = min(self.cap, grown)
        if named is not None and named > 0:
            return named + rng.random() * self.jitter * min(wait, named)
        return wait * (1 - self.jitter * rng.random())
