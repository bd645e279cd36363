#!/usr/bin/env python3
"""Fills the generated tables of README.md and of the pages of this folder.

    python3 assets/guide/make_tables.py build/release/kinetoscope [--check]

With --check nothing is written: the exit code is 1 if a page is out of date. A page marks a table like this:

    <!-- keys:timeline,view:begin -->    keys that work in these places (the sixth value in commands.def)
    <!-- keys:end -->
    <!-- keys:zoom-in/zoom-out,fit-all:begin -->    keys of these commands, in this order, one row per item
    <!-- keys:end -->
    <!-- columns:kernels:begin -->    columns of a table, as `kinetoscope table kernels --columns` prints them
    <!-- columns:end -->
    <!-- text:tab_hits:begin -->Hits<!-- text:end -->    an English text of the window, inside a sentence

The keys come from app/ui/commands/commands.def, their English descriptions from app/ui/text/texts_*.def.
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(pathlib.Path(__file__).resolve().parent.glob("*.md"))]

STRING = r'"((?:[^"\\]|\\.)*)"'
COMMAND = re.compile(rf"^KINO_COMMAND\(\w+, {STRING}, (\w+), {STRING}, \w+, (\w+), \w+\)$", re.MULTILINE)
TEXT = re.compile(rf"^KINO_TEXT\((\w+), {STRING}", re.MULTILINE)
INLINE = re.compile(r"(<!-- text:(\w+):begin -->)(.*?)(<!-- text:end -->)")
SECTION = re.compile(r"(<!-- (keys|columns):([^ ]+):begin -->\n)(.*?)(<!-- \2:end -->)", re.DOTALL)


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


class Command:
    def __init__(self, name, title, keys, place):
        self.name, self.title, self.keys, self.place = name, title, keys, place


def read_texts():
    texts = {}
    for path in sorted((ROOT / "app/ui/text").glob("texts*.def")):
        texts.update(TEXT.findall(path.read_text(encoding="utf-8")))
    return {name: unescaped(text) for name, text in texts.items()}


def read_commands(texts):
    source = (ROOT / "app/ui/commands/commands.def").read_text(encoding="utf-8")
    found = [Command(name, texts[title], unescaped(keys).split(), place)
             for name, title, keys, place in COMMAND.findall(source)]
    if len(found) != len(re.findall(r"^KINO_COMMAND\(", source, re.MULTILINE)):
        sys.exit("make_tables.py: commands.def has rows of an unknown form")
    return found


def code(keys):
    return " or ".join("`` ` ``" if key == "`" else f"`{key}`" for key in keys)


def row(commands):
    """Returns one row for one command, or for several that belong together."""
    keys = " / ".join(code(command.keys) for command in commands)
    titles = [command.title for command in commands]
    return keys, ", ".join([titles[0], *(title[0].lower() + title[1:] for title in titles[1:])])


def key_rows(commands):
    """Returns rows in the order of the commands. Nine commands that differ by a digit share a row."""
    for command in commands:
        if not command.keys:
            continue
        digit = re.search(r"-(\d)$", command.name)
        if not digit or not command.title.endswith(" " + digit.group(1)):
            yield row([command])
        elif digit.group(1) == "1":
            first = command.keys[0]
            yield f"`{first}` to `{first[:-1]}9`", command.title + " to 9"


def without_common_prefix(rows):
    """Drops a word such as "Job:" that starts the title of every row."""
    prefixes = {title.partition(": ")[0] for _, title in rows}
    if len(prefixes) != 1 or not all(": " in title for _, title in rows):
        return rows
    titles = [title.partition(": ")[2] for _, title in rows]
    return [(keys, title[0].upper() + title[1:]) for (keys, _), title in zip(rows, titles)]


def keys_table(selection, commands):
    items = selection.split(",")
    places = {command.place for command in commands}
    if set(items) <= places:
        rows = without_common_prefix(list(key_rows([command for command in commands if command.place in items])))
    else:
        named = {command.name: command for command in commands}
        missing = [name for item in items for name in item.split("/") if name not in named]
        if missing:
            sys.exit(f"make_tables.py: there is no command or place {', '.join(missing)}")
        rows = [row([named[name] for name in item.split("/")]) for item in items]
    return "\n".join(["| keys | action |", "|---|---|", *(f"| {keys} | {title} |" for keys, title in rows)]) + "\n"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def only_with(group):
    """Returns a sentence on when a column exists: `group` is such as "--group rank of a job" or "a job"; or empty."""
    grouping = group.removesuffix("a job").removesuffix(" of ")
    if not group:
        return ""
    if grouping == group:
        return f". Only with `{grouping}`."
    return f". Only for jobs, with `{grouping}`." if grouping else ". Only for jobs."


def columns_table(name, program):
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([program, "table", name, "--columns", "--format", "json"], capture_output=True, text=True,
                              env={**os.environ, "XDG_CONFIG_HOME": scratch, "XDG_CACHE_HOME": scratch}, check=False)
    if done.returncode != 0:
        sys.exit(f"make_tables.py: {done.stderr.strip()}")
    columns = json.loads(done.stdout)
    lines = ["| key | unit | meaning |", "|---|---|---|"]
    for column in columns:
        meaning = cell(column["definition"]) + only_with(column["group"])
        lines.append(f"| `{column['key']}` | {cell(column['unit'])} | {meaning} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Fills the generated tables of README.md and assets/guide.")
    parser.add_argument("kinetoscope", help="the program")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a page is out of date")
    arguments = parser.parse_args()
    texts = read_texts()
    commands = read_commands(texts)

    def filled(match):
        begin, kind, name, _, end = match.groups()
        table = keys_table(name, commands) if kind == "keys" else columns_table(name, arguments.kinetoscope)
        return begin + table + end

    outdated = False
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        new = SECTION.sub(filled, INLINE.sub(lambda match: match[1] + texts[match[2]] + match[4], text))
        if new.count(":begin -->") != len(SECTION.findall(new)) + len(INLINE.findall(new)):
            sys.exit(f"make_tables.py: {path.relative_to(ROOT)} has a section without an end")
        if new == text:
            continue
        outdated = True
        if arguments.check:
            print(f"{path.relative_to(ROOT)} is out of date: run python3 assets/guide/make_tables.py KINETOSCOPE")
            print("\n".join(difflib.unified_diff(text.splitlines(), new.splitlines(), "page", "generated", lineterm="", n=0)))
        else:
            path.write_text(new, encoding="utf-8")
    return 1 if outdated and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
