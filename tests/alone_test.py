#!/usr/bin/env python3
# Covers: no unit
"""Checks that each file of the program is self-contained. Builds of several files of a module at once hide missing includes:

    python3 tests/alone_test.py build/<preset> [all | FILE...]

The script searches each file for names of the standard library, of other libraries and of the program, and checks that the
file includes their headers, directly or indirectly. This takes seconds. Of 22 random includes that a source needs to
compile, it missed 2. With `all` or file names, the files are also compiled one by one, with -fsyntax-only. All files take a
quarter of an hour on two processors. Headers of the standard library, which take most of the time, are precompiled.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent.resolve()
LAYERS = ("core", "loaders", "render", "app")

# Names that standard headers declare. `all` compiles every file with these headers included.
STANDARD_NAMES = {header: re.compile(pattern) for header, pattern in {
    "algorithm": r"std::((stable_|partial_)?sort|min|max|clamp|find_if|any_of|all_of|none_of|lower_bound|upper_bound|transform|"
                 r"copy|fill|reverse|unique|remove_if|minmax|min_element|max_element|nth_element|partition_point|"
                 r"equal_range|count_if|swap_ranges|ranges::(?!iota|subrange|less|greater)\w+)\b",
    "array": r"std::(array|to_array)\b",
    "atomic": r"std::(atomic|memory_order)\w*",
    "bit": r"std::(bit_\w+|popcount|count[lr]_zero|has_single_bit|endian)\b",
    "charconv": r"std::(from|to)_chars\b",
    "chrono": r"std::chrono\b",
    "cmath": r"std::(abs|sqrt|floor|ceil|l?l?round|isfinite|isnan|pow|log2|log10|fmod|exp|nearbyint|hypot)\b",
    "condition_variable": r"std::condition_variable\w*",
    "cstdint": r"\bu?int(8|16|32|64)_t\b",
    "cstdio": r"std::(v?snprintf|fprintf|printf|fputs|FILE|fopen|fclose)\b|\bstd(out|err)\b",
    "cstdlib": r"std::(getenv|strto\w+|abort|exit|malloc|free)\b",
    "cstring": r"std::(mem(cpy|cmp|move|set|chr)|str(len|cmp|ncmp|chr|error))\b",
    "deque": r"std::deque\b",
    "filesystem": r"std::filesystem\b",
    "fstream": r"std::[io]?fstream\b",
    "functional": r"std::(function|less|greater|hash|plus|identity|reference_wrapper|c?ref|bind_front|not_fn)\b",
    "iterator": r"std::((back_)?inserter|next|prev|distance|advance|make_move_iterator|istreambuf_iterator)\b",
    "limits": r"std::numeric_limits\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::((unique|shared|weak)_ptr|make_(unique|shared)|addressof)\b",
    "mutex": r"std::((recursive_)?mutex|lock_guard|unique_lock|scoped_lock|call_once|once_flag)\b",
    "numeric": r"std::(iota|accumulate|gcd|lcm|midpoint|reduce|partial_sum|(in|ex)clusive_scan)\b",
    "optional": r"std::(optional|nullopt|make_optional)\b",
    "random": r"std::(mt19937\w*|uniform_\w+|normal_distribution|random_device)\b",
    "set": r"std::(multi)?set\b",
    "span": r"std::(span|as_bytes)\b",
    "stop_token": r"std::stop_(token|source|callback)\b",
    "string": r"std::(string|to_string|stoi|stol|stod|getline)\b",
    "string_view": r"std::string_view\b",
    "system_error": r"std::(error_code|errc|system_error|generic_category)\b",
    "thread": r"std::(jthread|thread|this_thread)\b",
    "tuple": r"std::(tuple|tie|make_tuple|apply|ignore)\b",
    "unordered_map": r"std::unordered_map\b",
    "unordered_set": r"std::unordered_set\b",
    "utility": r"std::(move|pair|exchange|forward|swap|make_pair|in_range|cmp_less|index_sequence)\b",
    "variant": r"std::(variant|visit|get_if|monostate|holds_alternative)\b",
    "vector": r"std::vector\b"}.items()}
# Names that headers of other libraries declare, by a part of the header's path.
LIBRARY_NAMES = {
    "imgui.h": r"\bImGui::|\bIm(Vec[24]|DrawList|GuiIO)\b",
    "imgui_internal.h": r"\bImRect\b",
    "epoxy/gl.h": r"\bgl[A-Z]\w+\(|\bGL_[A-Z]\w+",
    "GLFW/glfw3.h": r"\bglfw[A-Z]\w+\(",
    "simdjson.h": r"\bsimdjson::",
    "nlohmann/json": r"\bnlohmann::",
    "sqlite3.h": r"\bsqlite3_\w+\(",
    "archive.h": r"\barchive_read_\w+\(",
    "xxhash.h": r"\bXXH3_\w+\("}
# A declaration of a name in a header: at the beginning of a line, not inside a class or function.
DECLARATION = re.compile(r"^(?:(?:class|struct|enum class|enum|union) (?P<type>\w+)(?=[ :{][^;]*$)|using (?P<alias>\w+) =|"
                         r"(?!(?:class|struct|enum|union|using|namespace|template|static_assert|extern|friend|#|//)\b)"
                         r"[A-Za-z][\w:<>,&*\[\] ]*?[ &*](?P<other>\w+) ?[({=;\[])", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def flags_of_layers(build):
    """Returns the compile command of each layer, for single files and without a file name."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        command = entry["command"]
        found = re.search(r"CMakeFiles/kino_(\w+)\.dir/", command)
        layer = found and found[1]
        if not layer or layer in flags:
            continue
        words = shlex.split(command)
        words = words[1:] if pathlib.Path(words[0]).name == "ccache" else words
        words = words[:words.index("-o")]
        if "-include" in words:  # precompiled headers would hide missing includes
            del words[words.index("-include"):words.index("-include") + 2]
        flags[layer] = [word for word in words if not re.match(r"-Wno-shadow|-Winvalid-pch|-fpch|-O|-[UD]_FORTIFY", word)]
    return flags


# Options of single sources in addition to those of their layer.
DEFINITIONS = {"app/system/assets.cpp": ['-DKINETOSCOPE_DATADIR=""', '-DKINETOSCOPE_SOURCE_ASSETS=""'],
               "app/shell/settings/version.cpp": ['-DKINETOSCOPE_VERSION=""']}


def files():
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.[ch]pp")):
            yield layer, str(path.relative_to(ROOT))


def code_of(path):
    """Returns the text of a source without comments and string literals."""
    text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


class Includes:
    """The headers that files include, directly and indirectly."""

    def __init__(self):
        self.codes, self.of_files, self.of_headers = {}, {}, {}
        self.headers_with = {}  # headers by the names that they declare
        for layer in LAYERS:
            for path in (ROOT / layer).rglob("*.hpp"):
                for found in DECLARATION.finditer(self.code(path)):
                    self.headers_with.setdefault(found[found.lastgroup], set()).add(path)

    def code(self, path):
        if path not in self.codes:
            self.codes[path] = code_of(path)
        return self.codes[path]

    def included_by(self, header):
        """Returns a standard header and the headers that it includes."""
        if header not in self.of_headers:
            run = subprocess.run(["c++", "-std=c++20", "-M", "-x", "c++", "-"], input=f"#include <{header}>\n", text=True,
                                 capture_output=True)
            self.of_headers[header] = {pathlib.Path(word).name for word in run.stdout.split()} | {header}
        return self.of_headers[header]

    def of(self, path):
        """Returns the included headers: libraries' headers as names, the program's headers as paths."""
        if path not in self.of_files:
            self.of_files[path] = found = set()  # set before the recursion, since includes may be cyclic
            for bracket, header in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if bracket == "<":
                    found |= self.included_by(header) if re.fullmatch("[a-z_]+", header) else {header}
                    continue
                places = [folder / header for folder in (ROOT, path.parent) if (folder / header).is_file()]
                found |= self.of(places[0]) | {places[0]} if places else {header}
        return self.of_files[path]

    def missing(self, path):
        """Yields one line per name that a file uses without its header."""
        code, included = self.code(path), self.of(path)
        for header, names in STANDARD_NAMES.items():
            used = None if header in included else names.search(code)
            if used:
                yield f"{path.relative_to(ROOT)} uses {used[0]} and does not include <{header}>"
        for header, names in LIBRARY_NAMES.items():
            used = None if any(header in str(one) for one in included) else re.search(names, code)
            if used:
                yield f"{path.relative_to(ROOT)} uses {used[0]} and does not include <{header}>"
        ours = {one for one in included if isinstance(one, pathlib.Path)}
        known = set(re.findall(r"\w+", " ".join(self.code(one) for one in ours)))  # also members and repeated declarations
        for found in re.finditer(r"(?<![\w.])(?<!->)(?:kino::)?(?<!\w::)(?<!>::)(\w+)\b(?!::\s*\))(\()?", code):
            name, call = found[1], found[2]
            if name not in self.headers_with or name in known or self.headers_with[name] & (ours | {path}):
                continue
            if not call and not re.match("k?[A-Z]", name):
                continue  # a variable
            if re.search(rf"\b(class|struct|using|typename) {name}\b|[\w>&*\]](?<!return) {name}\b *[({{=;]|"
                         rf"[&*]{name}\b|\[{name}[,\]]|\b{name} = \[", code):
                continue  # declared in this file
            known.add(name)
            header = min(self.headers_with[name])
            yield f"{path.relative_to(ROOT)} uses {name} and does not include {header.relative_to(ROOT)}"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        return check(build, pathlib.Path(folder))


def check(build, folder):
    flags = flags_of_layers(build)
    includes = Includes()
    named = sys.argv[2:]
    jobs = [(layer, name) for layer, name in files() if name in named or named in ([], ["all"])]
    failed = 0
    for _, name in jobs:
        lines = list(includes.missing(ROOT / name))
        failed += bool(lines)
        print(*lines, sep="\n", end="\n" if lines else "")

    to_compile = jobs if named else []
    for layer in {layer for layer, _ in to_compile}:
        header = folder / layer / "standard.hpp"
        header.parent.mkdir()
        header.write_text("".join(f"#include <{name}>\n" for name in STANDARD_NAMES), encoding="utf-8")
        subprocess.run([*flags[layer], "-w", "-x", "c++-header", str(header), "-o", f"{header}.gch"], cwd=build, check=True)
        flags[layer] += ["-include", str(header)]

    def compiled(job):
        layer, name = job
        command = flags[layer] + DEFINITIONS.get(name, []) + ["-fsyntax-only", "-x", "c++", str(ROOT / name)]
        if name.endswith(".hpp"):
            command += ["-w"]  # avoids warnings of #pragma once in a main file
        return subprocess.run(command, cwd=build, capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for run in pool.map(compiled, to_compile):
            if run.returncode:
                failed += 1
                print(run.stderr)
    print(f"{failed} files are not self-contained" if failed else "each file is self-contained")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
