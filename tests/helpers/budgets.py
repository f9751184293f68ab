"""Daily budgets on a database of their own."""

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

from gateway.budgets import BUDGETS_SCHEMA, DailyBudgets
from memory.database import Database

DAY = date(2026, 3, 12)


@asynccontextmanager
async def daily_budgets(
    path: Path | None = None,
    *,
    person_tokens: int = 0,
    chat_tokens: int = 0,
    today: Callable[[], date] = lambda: DAY,
) -> AsyncIterator[DailyBudgets]:
    """Budgets as they are after a start, in this file or in one that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        database = await Database.open(path or Path(folder) / "mneme.db", [BUDGETS_SCHEMA])
        try:
            budgets = DailyBudgets(
                database, person_tokens=person_tokens, chat_tokens=chat_tokens, today=today
            )
            await budgets.recover()
            yield budgets
        finally:
            await database.close()
