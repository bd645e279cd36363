"""The command `kinetoscope` of the wheel: becomes the program."""

from __future__ import annotations

import os
import sys

from .errors import KinetoscopeError
from .program import find_program


def main() -> None:
    """Replaces this process by the program, with the same arguments. Does not return."""
    try:
        program = find_program()
        if os.path.realpath(program) == os.path.realpath(sys.argv[0]):
            raise KinetoscopeError(f"This is the command of the Python package, not the program: {program}")
        os.execv(program, [program, *sys.argv[1:]])
    except (KinetoscopeError, OSError) as error:
        sys.exit(f"kinetoscope: {error}")
