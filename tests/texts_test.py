#!/usr/bin/env python3
# Covers: texts
"""Checks that all texts of the window are in app/ui/text/texts_*.def and core/base/messages/*.def: sources of app/ and core/
contain no such literals, and the catalogues contain no unused text.

    python3 tests/texts_test.py [ROOT]

A literal counts as words when it has two words of letters in a row ("slices of it"), is one capitalized word ("Close")
or begins or ends with a space beside a word, as pieces of sentences do (" more").
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()

# Folders whose texts are not shown in the window.
OUTSIDE_FOLDERS = {
    "app/cli": "the commands, for terminals and programs",
    "app/cli/command_line": "the help, and mistakes on the command line",
    "app/cli/diff": "the command `diff`, for terminals and programs",
    "app/cli/mcp": "the command `mcp`, for assistants",
    "app/cli/program": "the commands with their help",
    "app/cli/report": "the command `report`, for browsers",
    "app/cli/verdict": "the command `verdict`, for terminals, programs and assistants",
    "app/cli/serve": "the command `serve`, for terminals, and names of the protocol",
}

# Literals that are not texts of the window, by file.
ALLOWED = {
    "call_stack.cpp": {"Call stack", "Call Stack", "python stack"},  # keys of arguments
    "category_rules.cpp": {"My cache", "function:make_my_cache lives:end"},  # the rules of a new file
    "font_atlas.cpp": {"DejaVu Sans", "Noto Sans Symbols2", "Noto Sans Symbols", "Inter", "Noto Sans", "Liberation Sans",
                       "JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "Liberation Mono",  # families of fonts
                       "ranges are handed over as 16-bit characters"},  # for compilers
    "font_files.cpp": {"Regular", "Book", "Roman", "Normal"},  # styles in font files
    "kernel_categories.cpp": {"built in"},  # written to the file
    "key_chord.cpp": {"Home", "End", "Tab", "Esc", "Enter", "Backspace", "Delete", "Insert", "Space", "Up", "Down", "Left",
                      "Right", "Escape", "Return", "Ctrl", "Control", "Shift", "Alt"},  # names of keys, also in keys.json
    "main.cpp": {"kinetoscope: this build needs a processor with AVX2; build it on this machine, or with "},  # runs first
    "offscreen_context.cpp": {"Kinetoscope"},  # the name
    "pages.cpp": {"Esc"},  # the name of a key
    "portal_dialog.cpp": {"Response", "Close"},  # D-Bus
    "process_group.cpp": {"Process Group Description", "Process Group Name"},  # keys of arguments
    "state_file.cpp": {"side by side"},  # in the state file, for tests
    "timeline_svg.cpp": {' stroke=\\"'},  # markup
    "search_bar.cpp": {"gemm float"},  # an example of what can be typed
    "range_gesture.cpp": {"range begin", "range end"},  # ids
    "timeline_input.cpp": {"header splitter", "drawer splitter"},  # ids
    "document_bar.cpp": {"document bar"},  # ids
    "split_panes.cpp": {"pane splitter"},
    "start_page.cpp": {"Kinetoscope", "start languages", "start units"},  # the name, and ids
    "source_editor.cpp": {"code code-insiders codium cursor", "subl zed zeditor", "mousepad kate pycharm",
                          "gvim gedit gnome-text-editor emacs emacsclient",
                          "vi vim nvim nano ed micro hx helix mcedit joe editor sensible-editor"},  # names of programs
    "tool_bar.cpp": {"tab menu"},  # ids
    "sql_page.cpp": {" LIMIT 1000"},  # SQL
    "sql_error.cpp": {"no such column: ", "no such table: ", "no such function: "},  # sentences of SQLite
    "sql_completion.cpp": {"GROUP BY", "ORDER BY", "LEFT JOIN"},  # SQL
    "ui.cpp": {"Kinetoscope"},  # the name
    "window.cpp": {"Kinetoscope"},  # the name
    "tensor_inputs.cpp": {"Input Dims", "Input dims", "Input type", "Input Strides", "Concrete Inputs"},  # keys of arguments
}

UNITS = {" ns", " ms", " MB", " min"}

# Names in traces that look like prose, by file of core.
NAMES = {
    "host_words.hpp": {"<built-in function collect>", "<built-in method collect of ", "<built-in method acquire of _thread."},
    "library_frames.cpp": {"void std::"},
    "start_up.cpp": {"<frozen importlib._bootstrap"},
    "event_facts.cpp": {"Out msg nelems", "graph node id", "registers per thread"},
    "name_text.cpp": {" const"},
    "hang_process.cpp": {"for p in $(grep -slzx RANK="},  # a shell command
}

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])+\'|R"\((.*?)\)"|"((?:\\.|[^"\\])*)"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#.*$', re.MULTILINE)
WORDS = re.compile(r"[A-Za-z]{2,}[,;.]? [A-Za-z]{2,}|^[A-Z][a-z]+[.…!?]*$|^,? [A-Za-z]{2,}|[A-Za-z]{2,} $")
# SVG markup, SQL, and lines of Python.
CODE = re.compile(r'^<[a-z]+ [a-z]+=|^SELECT |^from [\w.]+ import |^import os\n|^torch\.cuda\.')
JOINED = re.compile(r'"\s*\n\s*"')
# Prose in core: three lower-case words, a piece of a sentence, or its end.
PROSE = re.compile(r"[a-z']{2,},? [a-z]+[,;]? [a-z]{2,}|^ [a-z]+.*[a-z]$|[a-z]{2,} [a-z]{2,}[.:]")
MESSAGE = re.compile(r"^KINO_(?:TERMINAL_)?MESSAGE\((\w+),", re.MULTILINE)
USE_OF_MESSAGE = re.compile(r"\bmsg::(\w+)\b")
ENTRY = re.compile(r"^KINO_TEXT\((\w+),", re.MULTILINE)
COMMAND = re.compile(r'^KINO_COMMAND\(\w+, "[^"]+", (\w+),', re.MULTILINE)
MENU = re.compile(r"^KINO_(?:MENU|ENTRY)\(\w+, \w+, (\w+)\)", re.MULTILINE)
USE = re.compile(r"\bText::(\w+)")


def literals(source):
    """Yields the string literals of C++ outside of comments and preprocessor lines."""
    for found in LITERAL.finditer(INCLUDE.sub("", source)):
        text = found.group(1) if found.group(1) is not None else found.group(2)
        if text:
            yield text


def core_errors():
    """Checks that core has no prose outside the catalogues of messages, and that each message is used."""
    for path in sorted((ROOT / "core").rglob("*.[ch]pp")):
        for text in literals(JOINED.sub("", path.read_text(encoding="utf-8"))):
            if PROSE.search(text) and text not in NAMES.get(path.name, set()) | UNITS:
                yield f'{path.relative_to(ROOT)}: "{text}" belongs into core/base/messages'
    used = {"nothing"}
    for layer in ("app", "core", "loaders", "render"):
        for path in (ROOT / layer).rglob("*.[ch]pp"):
            used |= set(USE_OF_MESSAGE.findall(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "core" / "base" / "messages").glob("*.def")):
        for name in MESSAGE.findall(path.read_text(encoding="utf-8")):
            if name not in used:
                yield f"{path.relative_to(ROOT)}: nobody uses {name}"


def main():
    errors = []
    used = set()
    sources = sorted((ROOT / "app").rglob("*.[ch]pp"))
    for path in sources:
        source = path.read_text(encoding="utf-8")
        used |= set(USE.findall(COMMENT.sub("", source)))
        if str(path.relative_to(ROOT).parent) in OUTSIDE_FOLDERS:
            continue
        words = {text for text in literals(source) if WORDS.search(text) and not CODE.search(text)} - UNITS
        allowed = ALLOWED.get(path.name, set())
        errors += [f'{path.relative_to(ROOT)}: "{text}" belongs into app/ui/text or core/base/messages'
                   for text in sorted(words - allowed)]
        errors += [f'{path.relative_to(ROOT)}: "{text}" is allowed here but does not occur' for text in sorted(allowed - words)]
    used |= set(COMMAND.findall((ROOT / "app" / "ui" / "commands" / "commands.def").read_text(encoding="utf-8")))
    used |= set(MENU.findall((ROOT / "app" / "shell" / "menus" / "menu.def").read_text(encoding="utf-8")))
    names = {path.name for path in sources}
    errors += [f"{folder} is excepted here but does not exist" for folder in OUTSIDE_FOLDERS if not (ROOT / folder).is_dir()]
    errors += [f"app/{name} is excepted here but does not exist"
               for name in sorted(ALLOWED.keys() - names)]
    for path in sorted((ROOT / "app" / "ui" / "text").glob("texts_*.def")):
        errors += [f"{path.relative_to(ROOT)}: nobody uses {name}"
                   for name in ENTRY.findall(path.read_text(encoding="utf-8")) if name not in used]
    errors += list(core_errors())
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
