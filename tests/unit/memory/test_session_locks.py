import asyncio

import pytest

from memory.sessions.locks import KeyedLocks


async def test_one_at_a_time_in_the_order_of_asking() -> None:
    locks = KeyedLocks()
    order: list[str] = []

    async def worker(name: str) -> None:
        async with locks.hold("a"):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(*(worker(name) for name in ("x", "y", "z")))

    assert order == ["x in", "x out", "y in", "y out", "z in", "z out"]


async def test_different_keys_do_not_wait_for_each_other() -> None:
    locks = KeyedLocks()

    async with locks.hold("a"), asyncio.timeout(1), locks.hold("b"):
        assert (locks.locked("a"), locks.locked("b"), locks.locked("c")) == (True, True, False)
        assert len(locks) == 2


async def test_locks_that_nobody_uses_are_gone() -> None:
    locks = KeyedLocks()
    for number in range(1000):
        async with locks.hold(f"chat {number}"):
            pass

    assert len(locks) == 0


async def test_a_waiter_keeps_the_lock_alive() -> None:
    locks = KeyedLocks()
    inside = asyncio.Event()
    release = asyncio.Event()

    async def worker() -> None:
        async with locks.hold("a"):
            inside.set()
            await release.wait()

    async with locks.hold("a"):
        waiter = asyncio.create_task(worker())
        await asyncio.sleep(0)
    await inside.wait()

    assert locks.locked("a")
    newcomer = asyncio.create_task(worker())
    await asyncio.sleep(0)
    assert len(locks) == 1
    release.set()
    await asyncio.gather(waiter, newcomer)
    assert len(locks) == 0


@pytest.mark.parametrize("steps", range(5))
async def test_a_cancelled_waiter_leaves_nothing_behind(steps: int) -> None:
    locks = KeyedLocks()
    release = asyncio.Event()

    async def worker() -> None:
        async with locks.hold("a"):
            await release.wait()

    holder, waiter, last = (asyncio.create_task(worker()) for _ in range(3))
    await asyncio.sleep(0)
    release.set()
    for _ in range(steps):
        await asyncio.sleep(0)
    waiter.cancel()
    results = await asyncio.gather(holder, waiter, last, return_exceptions=True)

    assert results[0] is None
    assert results[2] is None
    assert len(locks) == 0


async def test_holding_twice_is_refused_instead_of_waiting_for_ever() -> None:
    locks = KeyedLocks()

    async with locks.hold("a"):
        with pytest.raises(RuntimeError, match="this very task"):
            async with locks.hold("a"):
                pass

        assert locks.locked("a")
    assert len(locks) == 0


async def test_a_block_that_raises_opens_the_lock() -> None:
    locks = KeyedLocks()

    with pytest.raises(KeyError):
        async with locks.hold("a"):
            raise KeyError

    assert len(locks) == 0
