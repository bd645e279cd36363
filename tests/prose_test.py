#!/usr/bin/env python3
# Covers: message, texts
"""Checks that comments, texts, help and documents are written in plain English.

    python3 tests/prose_test.py [ROOT] [--print | --list MEASURE [MODULE]]

Each measure counts a habit that makes English hard to read. Its ceiling is a rate per 1,000 comments, texts or sentences, and holds
for every module. A module may stay above it only as far as EXCEPTIONS states; lower the number there whenever it falls. `--print`
shows the counts of all modules, and `--list` the places of one measure. A comment is a run of lines that begin with //, or the
comment after code on one line. Code in backticks and quoted text do not count.
"""

import collections
import math
import pathlib
import re
import subprocess
import sys

# Name: (pattern, ceiling per 1,000 comments, texts or sentences). Patterns see one comment, text or sentence.
MEASURES = {
    "starts with What, Where, Who": (re.compile(r"^(What|Where|Who|Whose|Whoever|Those|That|Likewise|Which)\b"), 5),
    "starts with Of": (re.compile(r"^Of\b(?! (?:these|those|the [\w ]+,))"), 0),
    "tell": (re.compile(r"(?<!cannot )\b(tell|tells|told|telling)\b", re.I), 0),
    "stand, lie": (re.compile(r"\b(stand|stands|stood|standing|lies|lay|lying)\b(?! ?-?(alone|by|still|ard))", re.I), 1),
    "what is": (re.compile(r"\bwhat (is|are|was|were|has|have|had)\b"), 3),
    "people for code": (re.compile(r"\b(whoever|somebody|someone|nobody|a person|who (asks|calls|fills|reads|writes|owns|keeps))\b", re.I), 1),
    "heed, asked": (re.compile(r"\b(heed|heeds|heeded|asked for|told apart|as much as|so long as that)\b", re.I), 1),
    "a row a stream": (re.compile(r"\b(a|an|one) (row|line|entry|file|thread|byte|bit|word|page|column|name|test|list|bin|pixel|digit|number|call|value|slice|track|rank)s? "
                                  r"(a|an) (?!few\b|lot\b)\w+", re.I), 1),
    "is no": (re.compile(r"(?<!\bthere )\b(is|are|was|be) (no|none) (?!longer|more|less|later|earlier|better|worse|fewer)\w+", re.I), 8),
}
# Longest sentence in words, and how many of 1,000 sentences may be longer.
LENGTHS = {"comments": (25, 60), "texts": (25, 40), "documents": (30, 20)}

# (module, kind, measure): today's count. It may only fall.
EXCEPTIONS = {}


def comments_of(source):
    """Yields (line, text) of the comments of a C++ source: runs of // lines as one, /// and //!< alike."""
    run, begin = [], 0
    for number, line in enumerate(source.splitlines(), 1):
        whole = re.match(r"\s*//[/!]?<?\s?(.*)", line)
        if whole:
            if not run:
                begin = number
            run.append(whole[1])
            continue
        if run:
            yield begin, " ".join(run)
            run = []
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        trailing = re.search(r"//[/!]?<?\s?(.+)", code)
        if trailing and not re.search(r"NOLINT|clang-format", trailing[1]):
            yield number, trailing[1]
    if run:
        yield begin, " ".join(run)


def prose(text):
    """Returns the text without code, quotations and links."""
    text = re.sub(r"```.*?```", " ", text, flags=re.S)
    text = re.sub(r"`[^`]*`", "x", text)
    text = re.sub(r'"[^"]*"|“[^”]*”', "x", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return re.sub(r"\((?:[^(),]+,){4,}[^()]*\)", "(x)", text)  # lists of columns


def sentences(text):
    """Splits into sentences, which end at paragraphs and list items. Tables and headings are skipped."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+[.]) |\s+-{1,2}\w)", text):
        if re.match(r"\s*(\||#|<)", paragraph):
            continue
        for sentence in re.split(r"(?:(?<=[.!?:;])|(?<=[.!?]\)))\s+(?=[A-Z`(\"x])", re.sub(r"\s+", " ", paragraph).strip()):
            if len(sentence.split()) > 1:
                yield sentence


def texts_of(source):
    """Yields (line, English text) of the rows of a catalogue."""
    for number, line in enumerate(source.splitlines(), 1):
        row = re.match(r'\s*KINO_\w+\(\s*\w+,\s*"((?:\\.|[^"\\])*)"', line)
        if row:
            yield number, row[1].replace('\\"', '"').replace("\\n", " ")


def gather(root):
    """Returns {(module, kind): [(place, text)]} of the files that git tracks."""
    found = collections.defaultdict(list)
    names = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False).stdout.split("\n")
    if not any(names):  # a source package has no history
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and "build" not in path.parts]
    for name in filter(None, names):
        path = root / name
        module = str(pathlib.PurePath(name).parent)
        if not path.is_file() or name.startswith("tests/pictures"):
            continue
        if path.suffix in (".hpp", ".cpp", ".def"):
            source = path.read_text(encoding="utf-8")
            found[module, "comments"] += [(f"{name}:{line}", prose(text)) for line, text in comments_of(source)]
            if path.suffix == ".def":
                found[module, "texts"] += [(f"{name}:{line}", prose(text)) for line, text in texts_of(source)]
        elif path.suffix == ".md":
            found[module, "documents"] += [(name, part) for part in sentences(prose(path.read_text(encoding="utf-8")))]
        elif name.startswith("tests/fixtures/help/"):
            # Lists of options and columns: each line counts alone.
            found[module, "documents"] += [(name, line) for line in prose(path.read_text(encoding="utf-8")).splitlines()]
    return found


def places(entries, kind):
    """Returns {measure: [(place, text)]} of one module, and the number of its sentences."""
    found = {measure: [entry for entry in entries if pattern.search(entry[1])] for measure, (pattern, _) in MEASURES.items()}
    longest, _ = LENGTHS[kind]
    split = entries if kind == "documents" else [(place, part) for place, text in entries for part in sentences(text)]
    found["long sentence"] = [entry for entry in split if len(entry[1].split()) > longest]
    return found, len(split)


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    wanted = None
    if "--list" in sys.argv:
        wanted = arguments.pop(0)
        only = arguments.pop(0) if arguments else None
        arguments = []
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    errors, stale = [], set(EXCEPTIONS)
    for (module, kind), entries in sorted(gather(root).items()):
        found, parts = places(entries, kind)
        if wanted is not None:
            if only in (None, module):
                for place, text in found[wanted]:
                    print(f"{place}: {text[:160]}")
            continue
        if "--print" in sys.argv:
            counts = ", ".join(f"{measure} {len(hits)}" for measure, hits in found.items() if hits)
            print(f"{module} {kind} {len(entries)}: {counts}")
        for measure, hits in found.items():
            rate = LENGTHS[kind][1] if measure == "long sentence" else MEASURES[measure][1]
            of = parts if measure == "long sentence" else len(entries)
            # A small module may have one hit, unless the ceiling is 0.
            allowed = EXCEPTIONS.get((module, kind, measure), max(math.ceil(rate * of / 1000), min(rate, 1)))
            stale.discard((module, kind, measure))
            if len(hits) > allowed:
                errors.append(f"{module}, {kind}: {len(hits)} of {allowed} with \"{measure}\", as at {hits[0][0]}: {hits[0][1][:120]}")
            elif (module, kind, measure) in EXCEPTIONS and len(hits) < allowed:
                errors.append(f"EXCEPTIONS allows {allowed} for {(module, kind, measure)}; lower it to {len(hits)}")
    errors += [f"EXCEPTIONS has {entry}, which does not exist" for entry in sorted(stale)] if wanted is None else []
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
