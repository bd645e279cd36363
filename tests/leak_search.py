#!/usr/bin/env python3
"""Runs a test program built with the address sanitizer: leak_search.py PROGRAM [ARGUMENT...]

At exit, the sanitizer searches for leaks while threads of the software rasterizer end, and sometimes crashes over them. If all
tests have passed and nothing else was found, such a run reports nothing about leaks and is not a failure.
"""

import re
import subprocess
import sys


def sanitizer_found(text):
    return re.search(r"ERROR: |runtime error: |WARNING: ", text)


def leak_search_crashed(text):
    """Returns whether only the leak search crashed. Errors that were found before are still failures."""
    return "LeakSanitizer has encountered a fatal error" in text and not sanitizer_found(text)


def main():
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    sys.stdout.write(done.stdout)
    if done.returncode != 0 and leak_search_crashed(done.stdout) and "Status: SUCCESS!" in done.stdout:
        print("The leak search crashed: this run reports nothing about leaks")
        return 0
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
