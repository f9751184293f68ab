"""What the models are asked for: every request is counted, whoever makes it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from gateway.budgets import DailyBudgets
from gateway.llm.client import Completion, Delta, LLMClient, Prompt, Usage
from gateway.service.metrics import Metrics

_PRICED_TOKENS = 1_000_000


class Spending:
    """Tokens as the providers counted them since the start, and their `cost` at so much per million of them."""

    def __init__(self, metrics: Metrics, *, price_in: float, price_out: float) -> None:
        self.prompt_tokens = self.completion_tokens = 0
        self.cost = 0.0
        self._metrics = metrics
        self._prices = (price_in, price_out)

    def add(self, usage: Usage) -> None:
        """One more request was answered."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        price_in, price_out = self._prices
        cost = (usage.prompt_tokens * price_in + usage.completion_tokens * price_out) / _PRICED_TOKENS
        self.cost += cost
        self._metrics.tokens("prompt", count=usage.prompt_tokens)
        self._metrics.tokens("completion", count=usage.completion_tokens)
        self._metrics.cost(cost)


class MeteredLLM:
    """Another client, with what it is asked for added to a `Spending` and to the budgets of whoever it is asked for.

    Raises DailyBudgetSpent, which is an LLMRejected, instead of asking where there is nothing left for today.
    """

    def __init__(self, llm: LLMClient, spending: Spending, *, budgets: DailyBudgets) -> None:
        self._llm = llm
        self._spending = spending
        self._budgets = budgets

    @property
    def name(self) -> str:
        """The client's."""
        return self._llm.name

    async def warm(self) -> None:
        """Warm the client."""
        await self._llm.warm()

    async def window(self) -> int:
        """The client's."""
        return await self._llm.window()

    async def complete(self, prompt: Prompt) -> Completion:
        """The client's answer, counted."""
        self._budgets.check(person=prompt.person, chat=prompt.chat)
        completion = await self._llm.complete(prompt)
        self._count(prompt, completion)
        return completion

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta, None]:
        """The client's pieces; counted with the last, for no provider counts what was broken off."""
        self._budgets.check(person=prompt.person, chat=prompt.chat)
        async with aclosing(self._llm.stream(prompt)) as deltas:
            async for delta in deltas:
                if delta.completion is not None:
                    self._count(prompt, delta.completion)
                yield delta

    async def close(self) -> None:
        """Close the client."""
        await self._llm.close()

    def _count(self, prompt: Prompt, completion: Completion) -> None:
        """As the provider counts; against a budget as we do, where it says nothing."""
        usage = completion.usage
        self._spending.add(usage)
        tokens = usage.prompt_tokens + usage.completion_tokens or prompt.estimated_tokens
        self._budgets.spend(tokens, person=prompt.person, chat=prompt.chat)
