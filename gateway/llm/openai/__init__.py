"""Models behind any OpenAI-compatible address."""

from gateway.llm.openai.client import OpenAIClient

__all__ = ["OpenAIClient"]
