"""Runs a command until the process that started it ends: python3 watchdog.py COMMAND...

Standard input is a pipe that only the parent writes to, so its end is the end of the parent, even if that is killed. The parent
can also close it. Uses only the standard library, since it runs outside the package.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from types import FrameType
from typing import Optional

LOOK_S = 1.0  # how often to check whether the command or the parent has ended
GRACE_S = 10.0  # between SIGTERM and SIGKILL


def main() -> int:
    parent = os.getppid()
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the command alone holds the pipe

    def stop(_signal: int, _frame: Optional[FrameType]) -> None:
        command.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted cell does not end the window
    while command.poll() is None and os.getppid() == parent:
        if select.select([sys.stdin], [], [], LOOK_S)[0]:
            break
    command.terminate()
    try:
        return command.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        command.kill()
        return command.wait()


if __name__ == "__main__":
    sys.exit(main())
