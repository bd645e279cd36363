#!/usr/bin/env python3
# Covers: no unit
"""Runs the program in a real window on its own X server, with real keys, mouse and drops. Checks its state file and the
pixels of the screen.

    ui_test.py --kinetoscope PROGRAM --xdnd-source PROGRAM [--data FOLDER] [--keep FOLDER] [WORD...]

With WORDs, only checks whose sentence contains one of them run. --keep stores a picture of each failure in FOLDER.
Needs Xvfb and xdotool, but no display, GPU, network or D-Bus. The checks are in check_*.py. The end lists checks that
failed once and passed when repeated, with the line that failed.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

# In the order in which their checks run.
import check_timeline  # noqa: E402, F401
import check_window  # noqa: E402, F401
import check_archives  # noqa: E402, F401
import check_bookmarks  # noqa: E402, F401
import check_cache  # noqa: E402, F401
import check_compare  # noqa: E402, F401
import check_comparison  # noqa: E402, F401
import check_counters  # noqa: E402, F401
import check_critical  # noqa: E402, F401
import check_flame  # noqa: E402, F401
import check_front  # noqa: E402, F401
import check_hang  # noqa: E402, F401
import check_hostile  # noqa: E402, F401
import check_job  # noqa: E402, F401
import check_language  # noqa: E402, F401
import check_layers  # noqa: E402, F401
import check_ledger  # noqa: E402, F401
import check_same_run  # noqa: E402, F401
import check_sharing  # noqa: E402, F401
import check_snapshot_plot  # noqa: E402, F401
import check_what_if  # noqa: E402, F401
import check_split  # noqa: E402, F401
import check_live  # noqa: E402, F401
import check_looks  # noqa: E402, F401
import check_search  # noqa: E402, F401
import check_serving  # noqa: E402, F401
import check_slice_menu  # noqa: E402, F401
import check_segments  # noqa: E402, F401
import check_layouts  # noqa: E402, F401
import check_snapshots  # noqa: E402, F401
import check_snapshot_sets  # noqa: E402, F401
import check_snapshot_tables  # noqa: E402, F401
import check_menus  # noqa: E402, F401
import check_moves  # noqa: E402, F401
import check_pointing  # noqa: E402, F401
import check_stacks  # noqa: E402, F401
import check_summary  # noqa: E402, F401
import check_start  # noqa: E402, F401
import check_sql  # noqa: E402, F401
import check_tables  # noqa: E402, F401
import check_tracks  # noqa: E402, F401
import check_trace_memory  # noqa: E402, F401
import check_trust  # noqa: E402, F401
import check_views  # noqa: E402, F401
import check_inspector  # noqa: E402, F401
from checks import CHECKS, expect  # noqa: E402
from leak_search import leak_search_crashed, sanitizer_found  # noqa: E402
from png import write_png  # noqa: E402
from room import Room  # noqa: E402
from viewer import Failed  # noqa: E402
from virtual_display import VirtualDisplay  # noqa: E402

REPEATS = 2  # checks per run that may be repeated


class Wrong(Exception):
    """The program crashed or a sanitizer reported an error. Such checks are not repeated."""


def place_of(failure):
    """Returns the innermost line of a check at which it failed, such as "check_tabs.py:12"."""
    frames = [frame for frame in traceback.extract_tb(failure.__traceback__)
              if pathlib.Path(frame.filename).name.startswith("check_")]
    return f"{pathlib.Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "ui_test.py"


def run(sentence, function, arguments, display):
    """Returns the place where the check failed, or None if it passed. Raises Wrong."""
    with tempfile.TemporaryDirectory(prefix="kinetoscope-ui-") as folder:
        room = Room(arguments, display, folder)
        try:
            function(room)
            for viewer in room.viewers:
                code = viewer.quit() if viewer.window else viewer.process.poll()
                expect(code in (0, None) or not viewer.window or leak_search_crashed(viewer.errors()),
                       f"the program ends with {code}\n{viewer.errors()}")
            return None
        except Exception as failure:
            ended = [viewer.process.poll() for viewer in room.viewers]
            print(f"FAILED {sentence}\n       {failure}", flush=True)
            if not isinstance(failure, Failed):
                traceback.print_exc(file=sys.stdout)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                picture = display.picture()
                write_png(arguments.keep / f"{function.__name__}.png", picture.width, picture.height,
                          picture.rgb(0, 0, picture.width, picture.height))
            if any(code not in (0, None) for code in ended) or any(sanitizer_found(viewer.errors()) for viewer in room.viewers):
                raise Wrong from failure
            return place_of(failure)
        finally:
            room.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kinetoscope", required=True)
    parser.add_argument("--xdnd-source", required=True)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--part", default="1/1", help="N/M: every M-th check from the N-th on")
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    chosen = [one for one in CHECKS if not arguments.words or any(word in one[0] for word in arguments.words)]
    part, parts = (int(number) for number in arguments.part.split("/"))
    chosen = chosen[part - 1::parts]
    failed, repeats = 0, []
    with tempfile.TemporaryDirectory(prefix="kinetoscope-ui-") as folder:
        os.environ["MESA_SHADER_CACHE_DIR"] = folder  # compiles the shaders of a software driver once
        display = VirtualDisplay(folder)
        try:
            for sentence, function in chosen:
                begin = time.monotonic()
                try:
                    # The X server may deliver keys and clicks late if all cores are busy. So the first REPEATS failed
                    # checks are repeated, and the end lists them.
                    place = run(sentence, function, arguments, display)
                    if place and len(repeats) < REPEATS:
                        repeats.append(f"{place}: {sentence}")
                        place = run(sentence, function, arguments, display)
                    passed = place is None
                except Wrong:
                    passed = False
                if passed:
                    print(f"passed {sentence} ({time.monotonic() - begin:.1f} s)", flush=True)
                else:
                    failed += 1
        finally:
            display.close()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    print(f"{len(repeats)} of at most {REPEATS} repeats were needed")
    for repeat in repeats:
        print(f"repeated after a failure at {repeat}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
