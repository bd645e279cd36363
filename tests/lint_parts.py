#!/usr/bin/env python3
"""Merges modules of a layer into larger parts, so that clang-tidy parses common headers fewer times:

    python3 tests/lint_parts.py build/lint

The script reads the modules that a build with KINETOSCOPE_UNITY compiles at once. It replaces them by a few larger parts in
build/lint/parts/compile_commands.json. clang-tidy 14 takes nine seconds per module, four of them for the standard library.
Files of different modules may use the same name in an unnamed namespace. Such files are put into different parts, if the
script detects the name. If clang-tidy reports "redefinition" or "ambiguous", rename one of them.
"""

import json
import pathlib
import re
import sys

from alone_test import DECLARATION, ROOT, Includes

FILES = 60  # per part: the largest takes clang-tidy 1 GB and half a minute, so all processors end at about the same time
HIDDEN = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


class File:
    """A source, its private names, which must be unique in a part, and the names that are visible to it."""

    def __init__(self, path, includes):
        self.path = path
        blocks = HIDDEN.findall(path.read_text(encoding="utf-8"))
        names = [found for block in blocks for found in DECLARATION.finditer(block)]
        # Two aliases of one name mostly have the same meaning, but an alias must not share a name with anything else.
        self.aliases = {found["alias"] for found in names if found["alias"]}
        self.hidden = {found[found.lastgroup] for found in names if not found["alias"]}
        headers = includes.of(path)
        self.seen = {name for name, places in includes.headers_with.items() if places & headers and not name.islower()}


class Part:
    """Sources of a layer that are compiled together."""

    def __init__(self):
        self.files, self.aliases, self.hidden, self.seen = [], set(), set(), set()

    def takes(self, file):
        taken = self.aliases | self.hidden | self.seen
        return len(self.files) < FILES and not file.hidden & taken and not self.hidden & (file.aliases | file.seen)

    def add(self, file):
        self.files.append(file)
        self.aliases |= file.aliases
        self.hidden |= file.hidden
        self.seen |= file.seen


def parts_of(files):
    """Puts each file into the first part that accepts it, which mostly keeps neighbors together."""
    parts = []
    for file in files:
        fit = next((part for part in parts if part.takes(file)), None)
        if fit is None:
            fit = Part()
            parts.append(fit)
        fit.add(file)
    return parts


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    includes = Includes()
    folder = build / "parts"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.cxx"):
        old.unlink()
    entries, layers = [], {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        layer = re.search(r"/kino_(\w+)\.dir/Unity/", entry["file"])
        if not layer:
            entries.append(entry)
            continue
        names = re.findall(r'#include "([^"]+)"', pathlib.Path(entry["file"]).read_text(encoding="utf-8"))
        layers.setdefault(layer[1], (entry, []))[1].extend(names)
    for layer, (entry, names) in layers.items():
        for number, part in enumerate(parts_of([File(ROOT / name, includes) for name in sorted(names)])):
            path = folder / f"{layer}_{number}.cxx"
            path.write_text("".join(f'#include "{file.path}"\n' for file in part.files), encoding="utf-8")
            entries.append({**entry, "file": str(path), "command": entry["command"].replace(entry["file"], str(path))})
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
