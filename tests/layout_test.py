#!/usr/bin/env python3
"""Checks the layout of the house: who includes what, how files are named, what lies at the top.

    python3 tests/layout_test.py [ROOT]
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()

TOP = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "app", "assets", "core", "loaders", "render", "tests"}
FOLDERS = {
    "core": {"core"},
    "loaders": {"core", "loaders"},
    "render": {"core", "render"},
    "app": {"core", "loaders", "render", "app"},
}
# The third-party headers a folder may include, as prefixes; everything else in angle brackets must be the standard
# library or the system's.
LIBRARIES = {
    "core": (),
    "loaders": ("simdjson.h", "isa-l", "igzip_lib.h", "crc.h", "nlohmann/", "archive.h", "archive_entry.h",
                "xxhash.h"),
    "render": ("epoxy/",),
    "app": ("imgui", "backends/imgui", "misc/freetype/imgui", "GLFW/", "epoxy/", "EGL/", "nlohmann/", "CLI/", "stb",
            "ft2build.h", "freetype/", "fontconfig/", "systemd/"),
    "tests": ("doctest/", "X11/", "zlib.h", "nlohmann/", "EGL/", "epoxy/", "GLFW/", "imgui", "stb", "systemd/", "CLI/",
              "archive.h", "archive_entry.h",
                "xxhash.h"),
}
SYSTEM = re.compile(r"[a-z_0-9]+|c[a-z]+|(sys|linux|netinet|arpa|bits|asm)/.*|"
                    r"(unistd|fcntl|malloc|poll|signal|pthread|sched|dirent|dlfcn|pwd|spawn|termios|time|stdlib|string|"
                    r"immintrin|x86intrin|arm_neon|cpuid)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
TEST_NAME = re.compile(r"(main|(core|loaders|render|app)_[a-z0-9_]+)_test\.cpp")


def top_entries():
    """What git would keep, or without git every entry that is no build folder."""
    listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, text=True) if (ROOT / ".git").exists() else None
    if listing and listing.returncode == 0:
        return {line.split("/")[0] for line in listing.stdout.splitlines() if (ROOT / line).exists()}
    return {entry.name for entry in ROOT.iterdir() if not entry.name.startswith("build")}


def include_errors(folder, path):
    text = path.read_text(encoding="utf-8")
    for bracket, header in INCLUDE.findall(text):
        place = f"{path.relative_to(ROOT)} includes {bracket}{header}"
        if bracket == '"':
            owner = header.split("/")[0]
            if "/" not in header:
                if folder != "tests" or not (path.parent / header).is_file():
                    yield f"{place}: write it with its folder"
            elif folder != "tests" and owner not in FOLDERS[folder]:
                yield f"{place}: {folder} may not know {owner}"
            elif not (ROOT / header).is_file():
                yield f"{place}: there is no such file; third-party headers are written with < >"
        elif not SYSTEM.fullmatch(header) and not header.startswith(LIBRARIES[folder]):
            yield f"{place}: that library does not belong into {folder}"


def unnamed_definitions(text):
    """What a file defines for itself, in its unnamed namespace: constants, types, and functions with their parameters."""
    inside = False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside and line and line[0] not in " /}#":
            if line.startswith("using "):
                yield line.split(" = ")[0], line  # twice is allowed if both mean the same
            elif found := re.match(r"(?:struct|class|enum class|enum|union) (\w+)", line) or re.match(
                    r"(?:inline |static |constexpr |const )+.*?\b(k[A-Z]\w*)\b *(?:=|\{|\[|;)", line):
                yield found.group(1), None
            elif not line.startswith(("template", "static_assert", "TEST_CASE")) and (
                    found := re.match(r"[\w:<>,&*\s\[\]]*?\b(\w+)\(([^)]*)", line)):
                yield found.group(1) + "(" + re.sub(r"\b\w+(,|$)", r"\1", found.group(2)).strip() + ")", None


def twice_defined(paths):
    """Sanitizer builds compile several files of a folder at once, so what two of them have belongs into a header, or is
    two things and needs two names."""
    owners = {}
    for path in paths:
        for name, text in set(unnamed_definitions(path.read_text(encoding="utf-8"))):
            first, first_text = owners.setdefault(name, (path, text))
            if first != path and (text is None or text != first_text):
                yield f"{path.relative_to(ROOT)} defines {name}, as {first.relative_to(ROOT)} does"


def main():
    errors = [f"{name} is not a part of the house" for name in sorted(top_entries())
              if name not in TOP and not name.startswith(".")]
    for folder in LIBRARIES:
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            errors += include_errors(folder, path)
    for folder in FOLDERS.keys() - {"render"}:
        errors += twice_defined(sorted((ROOT / folder).glob("*.cpp")))
        errors += twice_defined(sorted((ROOT / "tests").glob(f"{folder}_*_test.cpp")))
    errors += twice_defined(sorted((ROOT / "tests" / "bench").glob("*.cpp")))
    for path in sorted((ROOT / "tests").glob("*_test.cpp")):
        if not TEST_NAME.fullmatch(path.name):
            errors.append(f"tests/{path.name} is not named <folder>_<name>_test.cpp")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
