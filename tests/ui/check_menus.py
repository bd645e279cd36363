# Covers: view_menu, settings
"""Checks of the UI test: keys after the View menu closes, and settings that are stored at once."""

import json

from checks import check, expect
from viewer import span_ns


@check("Esc closes the View menu with an open submenu, and the timeline gets the keys again")
def escape_from_submenu(room):
    viewer = room.landmarks()
    before = viewer.resting_picture()
    viewer.click(1470, 16)
    viewer.rest()
    viewer.point(1470, 44)  # its first entry opens a menu
    opened = viewer.resting_picture()
    expect(opened.pixels != before.pixels, "the View menu did not open")
    viewer.key("Escape")
    viewer.point(800, 400)
    state = viewer.rest()
    viewer.hold("w", "W zooms", lambda now: span_ns(now) < span_ns(state) / 2)


@check("theme and language are stored when they change, not only at exit")
def kept_at_once(room):
    viewer = room.landmarks()
    viewer.key("t")
    viewer.settled("it is light", lambda now: now["theme"] == "light")
    path = room.folder / "viewer" / "config" / "kinetoscope" / "settings.json"
    viewer.wait("it is written", lambda now: path.exists() and json.loads(path.read_text())["theme"] == "light")
    viewer.kill()
    viewer.window = None  # it did not exit normally
    again = room.landmarks()
    again.settled("it is light again", lambda now: now["theme"] == "light")
