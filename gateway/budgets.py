"""How many tokens a person and a chat may use in a day; what was used is known after a restart, too."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import partial
from sqlite3 import Connection

from gateway.errors import DailyBudgetSpent
from memory.database import Database, Schema

_SPENT = """
CREATE TABLE spent (
    day TEXT NOT NULL,
    payer TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (day, payer)
) WITHOUT ROWID;
"""

BUDGETS_SCHEMA = Schema(name="budgets", migrations=(_SPENT,))
_ADD = "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT (day, payer) DO UPDATE SET tokens = tokens + excluded.tokens"


class DailyBudgets:
    """What was used `today`, and whether that is all that may be; a limit of 0 is none.

    The request that goes over a limit is the last one: nobody knows before what an answer takes. A crash loses the count
    of its last moments. Who has no limit is not counted.
    """

    def __init__(
        self, database: Database, *, person_tokens: int, chat_tokens: int, today: Callable[[], date]
    ) -> None:
        self._database = database
        self._limits = {"person": person_tokens, "chat": chat_tokens}
        self._today = today
        self._day = today()
        self._spent = Counter[str]()

    async def recover(self) -> None:
        """Find out what was used today, and forget earlier days."""
        day = self._day.isoformat()

        def read(connection: Connection) -> dict[str, int]:
            connection.execute("DELETE FROM spent WHERE day < ?", (day,))
            return dict(connection.execute("SELECT payer, tokens FROM spent WHERE day = ?", (day,)))

        self._spent = Counter(await self._database.write(read))

    def check(self, *, person: str, chat: str) -> None:
        """Raise DailyBudgetSpent where one of them has used what there is for today."""
        self._turn_page()
        for payer, limit in self._payers(person=person, chat=chat):
            if self._spent[payer] >= limit:
                raise DailyBudgetSpent(f"{payer} has used its {limit:,} tokens of {self._day}")

    def spend(self, tokens: int, *, person: str, chat: str) -> None:
        """So many more were used."""
        self._turn_page()
        for payer, _ in self._payers(person=person, chat=chat):
            self._spent[payer] += tokens
            self._database.write_later(partial(_add, row=(self._day.isoformat(), payer, tokens)))

    def _payers(self, *, person: str, chat: str) -> list[tuple[str, int]]:
        """Those with a limit, as they are kept."""
        names = {"person": person, "chat": chat}
        return [
            (f"{kind} {names[kind]}", limit) for kind, limit in self._limits.items() if limit and names[kind]
        ]

    def _turn_page(self) -> None:
        today = self._today()
        if today != self._day:
            self._day = today
            self._spent.clear()


def _add(connection: Connection, *, row: tuple[str, str, int]) -> None:
    connection.execute(_ADD, row)
