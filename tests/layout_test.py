#!/usr/bin/env python3
# Covers: no unit
"""Checks the layout: includes between modules, names of files, and the entries of the top folder.

    python3 tests/layout_test.py build/<preset>/modules.txt [--print]

CMake writes modules.txt: one line per row of kino_module() in the CMakeLists.txt of the layers. With --print the script checks
nothing. It prints the lines that the includes of the sources need: "module: included modules; prefixes of other headers".
"""

import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent.resolve()

TOP = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "app", "assets", "core", "loaders", "render", "tests"}
LAYERS = ("core", "loaders", "render", "app")
MOST_UNITS = 25
TEST_LIBRARIES = ("doctest/", "X11/", "zlib.h", "sqlite3.h", "nlohmann/", "EGL/", "epoxy/", "GLFW/", "imgui", "stb", "systemd/", "CLI/",
                  "archive.h", "archive_entry.h", "xxhash.h")
STANDARD = re.compile(r"[a-z_0-9]+|c[a-z]+|(time|stdlib|string|immintrin|x86intrin|arm_neon|cpuid)\.h")
# Headers of the operating system. Tests may include them, and modules that list them.
SYSTEM = re.compile(r"(sys|linux|net|netinet|arpa|bits|asm)/.*|"
                    r"(unistd|fcntl|malloc|poll|signal|pthread|sched|dirent|dlfcn|pwd|grp|spawn|termios|utime|netdb|glob|"
                    r"ftw|execinfo|langinfo|semaphore|syslog|wordexp|windows|io|direct)\.h")
# Types of modules: declared without indentation, in namespace kino.
DECLARED = re.compile(r"^(?:template <[^>\n]*>\n?)?(?:class|struct|enum class|enum) (\w+)(?: : [\w:]+)?;", re.MULTILINE)
DEFINED = re.compile(r"^(?:class|struct|enum class|enum) (\w+)(?: final)?(?: : [^;{]*)?\s*\{", re.MULTILINE)
# Mutable variables of a namespace, and mutable static variables of a function.
STATE = re.compile(r"^(?!const|return|using|namespace|extern|template|concept|enum|union|struct|class)(?:static |thread_local |inline )*"
                   r"[A-Za-z_][\w:]*(?:<[^;()=]*>)?[*&]? (?!operator)\w+(?: = .*|\{.*)?;|"
                   r"^ +static (?!const)[\w:]+(?:<[^;()=]*>)?[*&]? \w+(?: = [^;]*|\{[^;]*)?;", re.MULTILINE)
STATELESS = ("core", "loaders")
# Counters of ids that are unique in the process. No result depends on them.
COUNTERS = {"core/job/recording.cpp", "loaders/formats/databases/text_vfs.cpp"}
# Units of core and loaders that no test covers, with the reason.
UNCOVERED = {
    "folder_lock": "no test lets two programs wait for each other; bookmark_files_test takes the lock",
    "thread_clock": "processor times, which no test asserts",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


class Module:
    """A row of kino_module(): the modules and the prefixes of third-party headers that a module may include."""

    def __init__(self, line):
        self.name, rest = line.split(": ", 1)
        known, libraries = rest.split(";")
        self.known = known.split()
        self.libraries = tuple(libraries.split())
        self.path = ROOT / self.name
        self.layer = self.name.split("/")[0]
        self.used, self.used_libraries = set(), set()  # included by its sources

    def sources(self):
        return sorted(path for path in self.path.iterdir() if path.suffix in (".cpp", ".hpp", ".def"))


def read_modules(path):
    return {module.name: module for module in map(Module, path.read_text(encoding="utf-8").splitlines())}


def top_entries():
    """Returns the top entries that git tracks or would add. Without git, returns all entries but build folders."""
    listing = None
    if (ROOT / ".git").exists() and shutil.which("git"):
        listing = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"],
                                 capture_output=True, text=True)
    if listing and listing.returncode == 0:
        return {line.split("/")[0] for line in listing.stdout.splitlines() if (ROOT / line).exists()}
    return {entry.name for entry in ROOT.iterdir() if not entry.name.startswith("build")}


def included(path):
    """Yields the place, the bracket and the header of each #include of a source."""
    for bracket, header in INCLUDE.findall(path.read_text(encoding="utf-8")):
        yield f"{path.relative_to(ROOT)} includes {header}", bracket, header


def module_errors(module, modules):
    units = {path.stem for path in module.sources()}
    if len(units) > MOST_UNITS:
        yield f"{module.name} has {len(units)} units, at most {MOST_UNITS} fit a module"
    for path in module.sources():
        own = path.with_suffix(".hpp")
        first = True
        for place, bracket, header in included(path):
            if path.suffix == ".cpp" and own.is_file() and first and header != str(own.relative_to(ROOT)):
                yield f"{place} before its own header, which must compile alone"
            first = False
            if bracket == "<":
                beginnings = [beginning for beginning in module.libraries if header.startswith(beginning)]
                module.used_libraries.update(beginnings)
                if not STANDARD.fullmatch(header) and not beginnings:
                    whose = "the operating system is for core/base/platform and app/system" if SYSTEM.fullmatch(
                        header) else f"that library does not belong into {module.name}"
                    yield f"{place}: {whose}"
                if path.suffix == ".hpp" and SYSTEM.fullmatch(header):
                    yield f"{place}: a header keeps the operating system to its .cpp"
                continue
            owner = str(pathlib.PurePath(header).parent)
            if owner not in modules:
                yield f"{place}: write it with its folder; third-party headers are written with < >"
            elif not (ROOT / header).is_file():
                yield f"{place}: there is no such file"
            elif owner != module.name:
                module.used.add(owner)
                if owner not in module.known:
                    yield f"{place}: {module.name} may not know {owner}"


def table_errors(modules):
    """Checks that rows only know rows above them, and permit no more than the sources include."""
    above = set()
    for module in modules.values():
        for known in module.known:
            if known not in above:
                yield f"{module.layer}/CMakeLists.txt: {module.name} knows {known}, whose row is not above it"
            elif known not in module.used:
                yield f"{module.layer}/CMakeLists.txt: {module.name} may know {known} and does not include it"
        for beginning in module.libraries:
            if beginning not in module.used_libraries:
                yield f"{module.layer}/CMakeLists.txt: {module.name} may include {beginning}... and does not"
        above.add(module.name)
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.[ch]pp")):
            if str(path.parent.relative_to(ROOT)) not in modules:
                yield f"{path.relative_to(ROOT)}: its folder has no row of kino_module() in {layer}/CMakeLists.txt"


def print_modules(modules):
    """Prints the modules that the sources include, in the form and order of modules.txt."""
    for module in modules.values():
        for _ in module_errors(module, modules):
            pass  # only fills module.used
        known = " ".join(name for name in modules if name in module.used)
        print(f"{module.name}: {known}; {' '.join(it for it in module.libraries if it in module.used_libraries)}")


def type_owners():
    """Returns the modules that define each type in a header, by name."""
    owners = {}
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*.hpp"):
            for name in DEFINED.findall(path.read_text(encoding="utf-8")):
                owners.setdefault(name, set()).add(str(path.parent.relative_to(ROOT)))
    return owners


def types_defined_twice():
    """Checks that no two headers define the same type: a program that uses both has undefined behavior, which no compiler
    and no linker reports."""
    headers = {}
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.hpp")):
            for name in DEFINED.findall(path.read_text(encoding="utf-8")):
                first = headers.setdefault(name, path)
                if first != path:
                    yield f"{path.relative_to(ROOT)} defines {name}, as {first.relative_to(ROOT)} does"


def declaration_errors(module, owners):
    """Checks forward declarations, which need the same permission as an include."""
    for path in module.sources():
        if path.suffix != ".hpp":
            continue
        for name in DECLARED.findall(path.read_text(encoding="utf-8")):
            modules = owners.get(name, set())  # empty for types of libraries
            if modules and modules.isdisjoint([module.name, *module.known]):
                yield f"{path.relative_to(ROOT)} declares {name}: {module.name} may not know {', '.join(sorted(modules))}"


def state_errors(module):
    """Checks that core and loaders have no mutable global state."""
    if module.name.split("/")[0] not in STATELESS:
        return
    for path in module.sources():
        if path.suffix == ".def" or str(path.relative_to(ROOT)) in COUNTERS:
            continue
        for found in STATE.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)} has state of the process: {found.group(0).strip()}"


def test_errors(path):
    for place, bracket, header in included(path):
        if bracket == "<":
            if not (STANDARD.fullmatch(header) or SYSTEM.fullmatch(header)
                    or header.startswith(TEST_LIBRARIES)):
                yield f"{place}: that library does not belong into tests"
        elif not (ROOT / header).is_file():
            yield f"{place}: there is no such file; third-party headers are written with < >"


def test_files():
    """Returns the files that contain tests, without fixtures, benchmarks and helpers."""
    tests = ROOT / "tests"
    return sorted({*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py"), *tests.glob("fuzz/*_target.cpp"),
                   *tests.glob("ui/check_*.py"), tests / "session_stress.cpp"} - {tests / "main_test.cpp"})


def covered_units(text):
    """Returns the units in the first line of a test (or in the line after #!). None if there is no such line.

        // Covers: gpu_gaps, idle_causes,
        //   cpu_meanwhile
    """
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        del lines[0]
    found = re.match(r"(//|#) Covers: (.*)", lines[0]) if lines else None
    if not found:
        return None
    units, following = found.group(2), lines[1:]
    while units.endswith(",") and following and following[0].startswith(found.group(1) + "   "):
        units += following.pop(0)[len(found.group(1)):]
    return [] if units == "no unit" else [unit.strip() for unit in units.split(",")]


def cover_errors():
    """Checks that each test names the units that it covers, and that tests cover each unit of core and loaders."""
    sources = {path for layer in LAYERS for path in (ROOT / layer).rglob("*.[ch]pp")}
    units = {path.stem for path in sources}
    covered = set()
    for path in test_files():
        named = covered_units(path.read_text(encoding="utf-8"))
        if named is None:
            yield f"{path.relative_to(ROOT)} does not start with the line \"Covers:\" and the units that it tests"
            continue
        covered.update(named)
        for unit in sorted(set(named) - units):
            yield f"{path.relative_to(ROOT)} covers {unit}, but there is no such unit"
    for path in sorted(sources):
        if path.suffix == ".cpp" and path.parts[len(ROOT.parts)] in ("core", "loaders") and (
                path.stem not in covered and path.stem not in UNCOVERED):
            yield f"{path.relative_to(ROOT)} is covered by no test"
    for unit in sorted(UNCOVERED):
        if unit in covered or unit not in units:
            yield f"tests/layout_test.py: {unit} is covered or gone, so it needs no reason"


def unnamed_definitions(text):
    """Yields the definitions in unnamed namespaces of a file: constants, types, and functions with their parameters."""
    inside = False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside and line and line[0] not in " /}#":
            if line.startswith("using "):
                yield line.split(" = ")[0], line  # may be repeated with the same meaning
            elif found := re.match(r"(?:struct|class|enum class|enum|union) (\w+)", line) or re.match(
                    r"(?:inline |static |constexpr |const )+.*?\b(k[A-Z]\w*)\b *(?:=|\{|\[|;)", line):
                yield found.group(1), None
            elif not line.startswith(("template", "static_assert", "TEST_CASE")) and (
                    found := re.match(r"[\w:<>,&*\s\[\]]*?\b(\w+)\(([^)]*)", line)):
                yield found.group(1) + "(" + re.sub(r"\b\w+(,|$)", r"\1", found.group(2)).strip() + ")", None


def twice_defined(paths):
    """Checks that files of a module do not define the same name, since several files are compiled at once. Move a common
    definition into a header, and rename different ones."""
    owners = {}
    for path in paths:
        for name, text in sorted(set(unnamed_definitions(path.read_text(encoding="utf-8"))), key=str):
            first, first_text = owners.setdefault(name, (path, text))
            if first != path and (text is None or text != first_text):
                yield f"{path.relative_to(ROOT)} defines {name}, as {first.relative_to(ROOT)} does"


def main():
    modules = read_modules(pathlib.Path(sys.argv[1]))
    if sys.argv[2:] == ["--print"]:
        print_modules(modules)
        return 0
    errors = [f"{name} is not a part of the layout" for name in sorted(top_entries())
              if name not in TOP and not name.startswith(".")]
    owners = type_owners()
    errors += types_defined_twice()
    for module in modules.values():
        errors += module_errors(module, modules)
        if not (module.path / "README.md").is_file():
            errors.append(f"{module.name} has no README.md")
        errors += declaration_errors(module, owners)
        errors += state_errors(module)
        if module.name != "render":  # each of its files is compiled alone
            errors += twice_defined(sorted(module.path.glob("*.cpp")))
    errors += table_errors(modules)
    tests = ROOT / "tests"
    for path in sorted(tests.rglob("*.[ch]pp")):
        errors += test_errors(path)
    errors += cover_errors()
    for layer in LAYERS:
        errors += twice_defined(sorted((tests / layer).rglob("*.cpp")))
        for path in sorted((tests / layer).rglob("*")):
            if path.is_file() and (not path.name.endswith("_test.cpp") or str(path.parent.relative_to(tests)) not in modules
                                   and str(path.parent.relative_to(tests)) != layer):
                errors.append(f"{path.relative_to(ROOT)} is not named tests/<module>/<unit>_test.cpp")
    errors += twice_defined(sorted((tests / "bench").glob("*.cpp")))
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
