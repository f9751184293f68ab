"""Runs a command under the system-call rules of our unit, as systemd would: `python -m tests.helpers.confine COMMAND …`."""

import ctypes
import errno
import mmap
import os
import socket
import sys

from tests.helpers.units import Unit, allowed_calls, read_unit

_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_EQUAL, _MASKED_EQUAL = 4, 7
_WRITE_AND_EXECUTE = mmap.PROT_WRITE | mmap.PROT_EXEC


class _Comparison(ctypes.Structure):
    """One argument of a call, compared (`struct scmp_arg_cmp`)."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def conditions(unit: Unit) -> dict[str, list[_Comparison]]:
    """For calls that are allowed with certain arguments only, each set of arguments that is."""
    [families] = unit["RestrictAddressFamilies"]
    found = {"socket": [_Comparison(0, _EQUAL, getattr(socket, name), 0) for name in families.split()]}
    if unit["MemoryDenyWriteExecute"] == ["yes"]:
        pairs = (0, mmap.PROT_WRITE, mmap.PROT_EXEC)
        found["mmap"] = [_Comparison(2, _MASKED_EQUAL, _WRITE_AND_EXECUTE, pair) for pair in pairs]
        found["mprotect"] = [_Comparison(2, _MASKED_EQUAL, mmap.PROT_EXEC, 0)]
    return found


def confine(unit: Unit) -> None:
    """From here on, this process and what it starts can make only the calls that the unit leaves."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(_FAIL | errno.EPERM))
    special = conditions(unit)
    for name in allowed_calls(unit):
        number = library.seccomp_syscall_resolve_name(name.encode())
        for comparison in special.get(name, [None]):
            compared = (_Comparison * 1)(comparison) if comparison else None
            # What this kernel or this processor doesn't have is refused, and needs no rule.
            library.seccomp_rule_add_array(rules, _ALLOW, number, 1 if comparison else 0, compared)
    if library.seccomp_load(rules) != 0:
        raise OSError("the kernel takes no filter")


def main(command: list[str]) -> None:
    """Become the command."""
    confine(read_unit())
    os.execv(command[0], command)  # noqa: S606 - the command of a test, and no shell


if __name__ == "__main__":
    main(sys.argv[1:])
