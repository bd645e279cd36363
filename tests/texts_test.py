#!/usr/bin/env python3
# Covers: texts
"""Checks that what people read in the window comes from app/ui/text/texts.def and core/base/messages: no source of app/ or core/
has such words itself, and no text of the lists is left over.

    python3 tests/texts_test.py [ROOT]

A literal counts as words when it has two words of letters in a row ("slices of it"), is one capitalised word ("Close")
or begins or ends with a space beside a word, as pieces of sentences do (" more").
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()

# Folders none of whose words are shown in the window.
OUTSIDE_FOLDERS = {
    "app/cli": "the commands, for terminals and programs",
    "app/cli/command_line": "the help, and mistakes on the command line",
    "app/cli/diff": "the command `diff`, for terminals and programs",
    "app/cli/mcp": "the command `mcp`, for assistants",
}

# Files none of whose words are shown in the window.
OUTSIDE_THE_WINDOW = {
    "atomic_file.cpp": "errors of files",
    "cache_keeper.cpp": "logs",
    "shader_cache.cpp": "the standard error",
    "sql_examples.cpp": "SQL",
    "directory_listing.cpp": "errors of files",
    "file_manager.cpp": "logs",
    "font_atlas.cpp": "families of fonts",
    "folder_watch.cpp": "errors of folders, for terminals",
    "frame_report.cpp": "figures at the end, for terminals",
    "glfw_input.cpp": "logs",
    "gui_context.cpp": "logs",
    "job_loader.cpp": "errors of files",
    "snapshot_set_loader.cpp": "errors of files",
    "kernel_categories.cpp": "errors of a file that a person wrote",
    "key_chord.cpp": "names of keys, as keys.json and the keys themselves have them",
    "keymap.cpp": "errors of keys.json; titles are texts",
    "library_list.cpp": "errors of a file that a person wrote",
    "load_job.cpp": "errors of files",
    "main.cpp": "the command line",
    "offscreen_context.cpp": "errors of drivers",
    "plot_svg.cpp": "a drawing's markup",
    "treemap_svg.cpp": "a drawing's markup",
    "svg_text.cpp": "a drawing's markup",
    "timeline_svg.cpp": "a drawing's markup",
    "png_text.cpp": "errors of files",
    "record_sheet.cpp": "lines of Python",
    "person_file.cpp": "errors of a file that a person wrote",
    "recent_files.cpp": "errors of files",
    "category_rules.cpp": "errors of a file that a person wrote",
    "table_columns.cpp": "the command `table`, for terminals and programs",
    "table_text.cpp": "tables as text, for terminals and programs",
    "settings.cpp": "errors of the settings file",
    "local_socket.cpp": "errors of sockets",
    "single_instance.cpp": "errors of sockets",
    "state_file.cpp": "the state file, for tests",
    "track_memory.cpp": "errors of files",
    "window.cpp": "logs, and the program's name",
    "window_command.cpp": "the help",
    "window_command.hpp": "the help",
}

# Words that are no interface text, by file.
ALLOWED = {
    "call_stack.cpp": {"Call stack", "Call Stack", "python stack"},  # keys of arguments
    "font_files.cpp": {"Regular", "Book", "Roman", "Normal"},  # styles in font files
    "pages.cpp": {"Kinetoscope", "Esc"},  # names
    "portal_dialog.cpp": {"Response", "Close"},  # D-Bus
    "process_group.cpp": {"Process Group Description", "Process Group Name"},  # keys of arguments
    "search_bar.cpp": {"gemm float"},  # an example of what can be typed
    "range_gesture.cpp": {"range begin", "range end", "range on tracks"},  # ids
    "timeline_input.cpp": {"header splitter", "drawer splitter"},  # ids
    "document_bar.cpp": {"document bar"},  # ids
    "split_panes.cpp": {"pane splitter"},
    "added_tracks.cpp": {"kinetoscope: the arrangement of the tracks is not remembered: %s\\n"},  # logs
    "tool_bar.cpp": {"tab menu"},  # ids
    "tables_page.cpp": {"SELECT * FROM table_"},  # SQL
    "sql_page.cpp": {"SELECT * FROM ", " LIMIT 1000"},  # SQL
    "sql_result.cpp": {"Result", "the rows of a query",  # words of a table, as core's
                       "These are the first 100 000 rows; the query command gives all"},
    "sql_completion.cpp": {"GROUP BY", "ORDER BY", "LEFT JOIN"},  # of SQL
    "ui.cpp": {"Kinetoscope", "kinetoscope: the recent files: %s\\n"},  # the name, logs
    "tensor_inputs.cpp": {"Input Dims", "Input dims", "Input type", "Input Strides", "Concrete Inputs"},  # keys of arguments
}

UNITS = {" ns", " ms", " MB", " min"}

# Names that traces contain and that read like prose, by file of core.
NAMES = {
    "host_words.hpp": {"<built-in function collect>", "<built-in method collect of ", "<built-in method acquire of _thread."},
    "library_frames.cpp": {"void std::"},
    "start_up.cpp": {"<frozen importlib._bootstrap"},
    "event_facts.cpp": {"Out msg nelems", "registers per thread"},
    "name_text.cpp": {" const"},
}

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/', re.DOTALL)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])+\'|R"\((.*?)\)"|"((?:\\.|[^"\\])*)"', re.DOTALL)
INCLUDE = re.compile(r'^\s*#.*$', re.MULTILINE)
WORDS = re.compile(r"[A-Za-z]{2,}[,;.]? [A-Za-z]{2,}|^[A-Z][a-z]+[.…!?]*$|^,? [A-Za-z]{2,}|[A-Za-z]{2,} $")
JOINED = re.compile(r'"\s*\n\s*"')
# Prose of core: three words of small letters, a piece of a sentence, or the end of one.
PROSE = re.compile(r"[a-z']{2,},? [a-z]+[,;]? [a-z]{2,}|^ [a-z]+.*[a-z]$|[a-z]{2,} [a-z]{2,}[.:]")
MESSAGE = re.compile(r"^KINO_(?:TERMINAL_)?MESSAGE\((\w+),", re.MULTILINE)
USE_OF_MESSAGE = re.compile(r"\bmsg::(\w+)\b")
ENTRY = re.compile(r"^KINO_TEXT\((\w+),", re.MULTILINE)
COMMAND = re.compile(r'^KINO_COMMAND\(\w+, "[^"]+", (\w+),', re.MULTILINE)
USE = re.compile(r"\bText::(\w+)")


def literals(source):
    """The text literals of C++ outside of comments, without the line's number."""
    for found in LITERAL.finditer(INCLUDE.sub("", source)):
        text = found.group(1) if found.group(1) is not None else found.group(2)
        if text:
            yield text


def core_errors():
    """Core has no prose outside the catalogue of messages, and each message is used."""
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
        if path.name in OUTSIDE_THE_WINDOW or str(path.relative_to(ROOT).parent) in OUTSIDE_FOLDERS:
            continue
        allowed = ALLOWED.get(path.name, set()) | UNITS
        errors += [f'{path.relative_to(ROOT)}: "{text}" belongs into app/ui/text/texts.def' for text in literals(source)
                   if WORDS.search(text) and text not in allowed]
    used |= set(COMMAND.findall((ROOT / "app" / "ui" / "commands" / "commands.def").read_text(encoding="utf-8")))
    names = {path.name for path in sources}
    errors += [f"{folder} is excepted here but does not exist" for folder in OUTSIDE_FOLDERS if not (ROOT / folder).is_dir()]
    errors += [f"app/{name} is excepted here but does not exist"
               for name in sorted((OUTSIDE_THE_WINDOW.keys() | ALLOWED.keys()) - names)]
    entries = ENTRY.findall((ROOT / "app" / "ui" / "text" / "texts.def").read_text(encoding="utf-8"))
    errors += [f"app/ui/text/texts.def: nobody uses {name}" for name in entries if name not in used]
    errors += list(core_errors())
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
