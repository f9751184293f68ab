"""What the exit code of a command says."""

from typing import Final

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
"""Of the command line or of the configuration: trying again unchanged is useless."""
INTERRUPTED: Final = 130
"""As the shell counts Ctrl-C."""
