#!/usr/bin/env python3
"""Runs a test program of the address sanitizer's build: leak_search.py PROGRAM [ARGUMENT...]

At the end the sanitizer looks for leaks while threads of the software rasterizer end, and at times it falls over that itself.
Where all tests have passed and nothing else was found, such a run tells nothing of leaks, and is no failure.
"""

import re
import subprocess
import sys


def sanitizer_found(text):
    return re.search(r"ERROR: |runtime error: |WARNING: ", text)


def leak_search_crashed(text):
    """Then the run tells nothing of leaks; what was found before is still a failure."""
    return "LeakSanitizer has encountered a fatal error" in text and not sanitizer_found(text)


def main():
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    sys.stdout.write(done.stdout)
    if done.returncode != 0 and leak_search_crashed(done.stdout) and "Status: SUCCESS!" in done.stdout:
        print("The search for leaks ended itself: this run tells nothing of them")
        return 0
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


if __name__ == "__main__":
    sys.exit(main())
