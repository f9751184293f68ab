"""The daemon: it joins channels to memory, runs turns, and keeps what outlives them."""

__version__ = "0.1.0"
