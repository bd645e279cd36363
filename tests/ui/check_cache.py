# Covers: cache_keeper, trace_cache
"""Checks of the cache: a trace that was opened before opens at once."""

import pathlib
import subprocess

import traces
from check_search import end_search, search
from checks import check, expect
from viewer import wait_until

MEGABYTES = 40  # of text; less than 32 MiB are not cached


def kept_files(room):
    return list((room.folder / "viewer" / "cache" / "kinetoscope").glob("*.kinoindex"))


def shows_all(room, path, from_cache):
    viewer = room.start(path, cached=True)
    state = viewer.ready()
    shown = state["documents"][0]
    expect(shown["from_cache"] == from_cache, f"the trace is from the cache: {shown['from_cache']}")
    expect(shown["slices"] == 2000, f"{shown['slices']} slices instead of 2000")
    found = search(viewer, "stream:7")["search"]
    expect(found["hits"] == 2000, f"{found['hits']} kernels have their arguments: {found['error']}")
    end_search(viewer)
    return viewer


@check("a large trace is cached once it is shown, and loads from the cache the next time, with its arguments")
def second_open(room):
    path = traces.growing(room.folder / "kept.json.gz", MEGABYTES)
    viewer = shows_all(room, path, False)
    wait_until("the trace is kept", lambda: kept_files(room))
    viewer.quit()
    shows_all(room, path, True).quit()
    home = str(room.folder / "viewer" / "cache")
    listed = subprocess.run([room.arguments.kinetoscope, "cache"], env={"XDG_CACHE_HOME": home}, check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    expect(str(pathlib.Path(path).resolve()) in listed, f"`kinetoscope cache` prints {listed}")
    kept_files(room)[0].write_bytes(b"damaged")
    viewer = shows_all(room, path, False)
    expect("The cached trace is not used" in viewer.errors(), f"the log says {viewer.errors()!r}")
