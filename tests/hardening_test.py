#!/usr/bin/env python3
# Covers: process_limits
"""Checks the build options of a program. A memory fault must not be able to overwrite code or jump targets, and large
freed blocks must return to the system from any thread.

    python3 tests/hardening_test.py PROGRAM
"""

import platform
import subprocess
import sys


def printed(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments, sys.argv[1]], check=True, text=True,
                          capture_output=True).stdout


header, segments, dynamic, symbols = (printed(option) for option in (
    "--file-header", "--segments", "--dynamic", "--dyn-syms"))
stack = [line for line in segments.splitlines() if "GNU_STACK" in line]
WANTED = {
    "position independent": "DYN" in header and "PIE" in dynamic,
    "relocations are read-only": "GNU_RELRO" in segments,
    "symbols are bound at the start": "BIND_NOW" in dynamic or "NOW" in dynamic.split("FLAGS", 1)[-1],
    "the stack is not executable": bool(stack) and " RWE " not in stack[0],
    "stack protector": "__stack_chk_fail" in symbols,
    "large blocks are the system's own": "mallopt@" in symbols,
    "fortified calls of the C library": "_chk@" in symbols.replace("__stack_chk_fail@", ""),
}
if platform.machine() == "x86_64":
    WANTED["indirect branches have marked targets"] = "endbr64" in subprocess.run(
        ["objdump", "--disassemble=main", sys.argv[1]], check=True, text=True, capture_output=True).stdout

missing = [what for what, holds in WANTED.items() if not holds]
print("missing: " + ", ".join(missing) if missing else f"{len(WANTED)} properties hold")
sys.exit(1 if missing else 0)
