"""Rote, the built-in stand-in for a language model: it answers from memory alone, by quoting."""

from gateway.llm.rote.client import RoteLLM

__all__ = ["RoteLLM"]
