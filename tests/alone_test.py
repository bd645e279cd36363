#!/usr/bin/env python3
"""Compiles each source of the house by itself, and each header that no source includes first, without making code of it:

    python3 tests/alone_test.py build/<preset> [FILE...]

Builds compile several files of a room at once, which hides what one of them forgot to include.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.resolve()
FLOORS = ("core", "loaders", "render", "app", "tests/core", "tests/loaders", "tests/render", "tests/app")


def flags_of_floors(build):
    """How a file of a floor, or a test of it, is compiled, without its name, and as a file of its own."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        command = entry["command"]
        found = re.search(r"CMakeFiles/(?:kino_(?P<floor>\w+)|(?P<tests>\w+)_tests)\.dir/", command)
        floor = found and (found["floor"] or "tests/" + found["tests"])
        if not floor or floor in flags:
            continue
        words = shlex.split(command)
        words = words[1:] if pathlib.Path(words[0]).name == "ccache" else words
        words = words[:words.index("-o")]
        flags[floor] = [word for word in words if word != "-Wno-shadow" and not re.match(r"-O|-[UD]_FORTIFY", word)]
    return flags


# What single sources are compiled with beyond their floor.
DEFINITIONS = {"app/system/assets.cpp": ['-DKINETOSCOPE_DATADIR=""', '-DKINETOSCOPE_SOURCE_ASSETS=""'],
               "app/settings/version.cpp": ['-DKINETOSCOPE_VERSION=""']}


def what_to_compile(names):
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.[ch]pp")):
            name = str(path.relative_to(ROOT))
            if (path.suffix == ".cpp" or not path.with_suffix(".cpp").is_file()) and (not names or name in names):
                yield floor, name


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    flags = flags_of_floors(build)

    def compiled(job):
        floor, name = job
        command = flags[floor] + DEFINITIONS.get(name, []) + ["-fsyntax-only", "-x", "c++", str(ROOT / name)]
        if name.endswith(".hpp"):
            command += ["-w"]  # about #pragma once in a file that is not included
        return subprocess.run(command, cwd=build, capture_output=True, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for run in pool.map(compiled, what_to_compile(sys.argv[2:])):
            if run.returncode:
                failed += 1
                print(run.stderr)
    print(f"{failed} files do not compile by themselves" if failed else "each file compiles by itself")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
