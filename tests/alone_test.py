#!/usr/bin/env python3
"""Compiles each source of the house by itself, and each header that no source includes first, without making code of it:

    python3 tests/alone_test.py build/<preset> [FILE...]

Builds compile several files of a room at once, which hides what one of them forgot to include. The headers of the
standard library, which cost three quarters of the time, are compiled once and in front of each file; whether a file
includes those whose names it uses is seen by their names.
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
FLOORS = ("core", "loaders", "render", "app")

# What of a standard header is used by its name. A name that is not here makes its header one that each file compiles.
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
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def flags_of_floors(build):
    """How a file of a floor is compiled, without its name, and as a file of its own."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        command = entry["command"]
        found = re.search(r"CMakeFiles/kino_(\w+)\.dir/", command)
        floor = found and found[1]
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


class StandardHeaders:
    """Which standard headers a file includes, by its own and others' headers."""

    def __init__(self):
        self.of_files, self.of_headers = {}, {}

    def included_by(self, header):
        """A standard header and those that it includes."""
        if header not in self.of_headers:
            run = subprocess.run(["c++", "-std=c++20", "-M", "-x", "c++", "-"], input=f"#include <{header}>\n", text=True,
                                 capture_output=True)
            self.of_headers[header] = {pathlib.Path(word).name for word in run.stdout.split()} | {header}
        return self.of_headers[header]

    def of(self, path):
        if path not in self.of_files:
            self.of_files[path] = found = set()  # before its includes, which may include it
            for bracket, header in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if bracket == "<":
                    found |= self.included_by(header) if re.fullmatch("[a-z_]+", header) else set()
                    continue
                places = [folder / header for folder in (ROOT, path.parent) if (folder / header).is_file()]
                found |= self.of(places[0]) if places else set()
        return self.of_files[path]

    def missing(self, path):
        """A line for each standard header whose names a file uses without including it."""
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for header, names in STANDARD_NAMES.items():
            used = None if header in self.of(path) else names.search(text)
            if used:
                yield f"{path.relative_to(ROOT)} uses {used[0]} and does not include <{header}>"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        return check(build, pathlib.Path(folder))


def check(build, folder):
    flags = flags_of_floors(build)
    standard = StandardHeaders()
    jobs = list(what_to_compile(sys.argv[2:]))
    failed = 0
    for _, name in jobs:
        lines = list(standard.missing(ROOT / name))
        failed += bool(lines)
        print(*lines, sep="\n", end="\n" if lines else "")

    for floor in {floor for floor, _ in jobs}:
        header = folder / floor / "standard.hpp"
        header.parent.mkdir()
        header.write_text("".join(f"#include <{name}>\n" for name in STANDARD_NAMES), encoding="utf-8")
        subprocess.run([*flags[floor], "-w", "-x", "c++-header", str(header), "-o", f"{header}.gch"], cwd=build, check=True)
        flags[floor] += ["-include", str(header)]

    def compiled(job):
        floor, name = job
        command = flags[floor] + DEFINITIONS.get(name, []) + ["-fsyntax-only", "-x", "c++", str(ROOT / name)]
        if name.endswith(".hpp"):
            command += ["-w"]  # about #pragma once in a file that is not included
        return subprocess.run(command, cwd=build, capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for run in pool.map(compiled, jobs):
            if run.returncode:
                failed += 1
                print(run.stderr)
    print(f"{failed} files do not compile by themselves" if failed else "each file compiles by itself")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
