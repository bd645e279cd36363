"""Controls the program under test in its real window: starts it, sends keys, mouse and drops, and reads its state."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

PATIENCE = 90  # seconds to wait for a state before failing, for slow machines and sanitizers


class Failed(Exception):
    """A check failed. Contains the expected and the actual state."""


def wait_until(what, probe):
    """Returns the first true value of `probe`."""
    end = time.monotonic() + PATIENCE
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > end:
            raise Failed(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(0.02)


def by_code(key):
    """Replaces a function key, also in "shift+F7", by its key code. On keyboards of Debian 14, xdotool would add Alt."""
    *modifiers, name = key.split("+")
    if re.fullmatch("F[0-9]+", name):
        number = int(name[1:])
        name = str(66 + number if number <= 10 else 84 + number)
    return "+".join([*modifiers, name])


class Viewer:
    def __init__(self, program, xdnd_source, display, folder, files=(), options=(), path=None,
                 more_environment=(), output=os.devnull):
        """`path` replaces the folders in which the program of the file dialog is searched. The standard output is
        written to `output`."""
        if not shutil.which("xdotool"):
            raise RuntimeError("xdotool is missing; install the Debian package xdotool")
        self.display, self.xdnd_source = display, xdnd_source
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.state_path = self.folder / "state.json"
        self.state_path.unlink(missing_ok=True)
        self.tool_environment = {**os.environ, "DISPLAY": display.name}
        # One drawing thread takes a seventh less processor time than two, and checks run in parallel.
        environment = {**self.tool_environment, "LIBGL_ALWAYS_SOFTWARE": "1", "LP_NUM_THREADS": "1",
                       "KINETOSCOPE_FILE_DIALOG": "program"}
        for kind in ("config", "cache", "data", "state"):
            environment[f"XDG_{kind.upper()}_HOME"] = str(self.folder / kind)
        environment["XDG_RUNTIME_DIR"] = str(self.folder / "run")
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        for name in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP", "KINETOSCOPE_SCALE"):
            environment.pop(name, None)
        for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
            environment.pop(name, None)
        environment["LANG"] = "C.UTF-8"
        environment.update(more_environment)
        if path is not None:
            environment["PATH"] = str(path)
        self.errors_path = self.folder / "stderr.txt"
        with open(self.errors_path, "wb") as errors, open(output, "wb") as printed:
            self.process = subprocess.Popen(
                [program, "--state-file", str(self.state_path), *options, *map(str, files)], env=environment,
                stdin=subprocess.DEVNULL, stdout=printed, stderr=errors)
        self.window = None

    def attach(self):
        """Waits for the window, moves it to the screen's corner and focuses it."""
        self.wait("the first frame", lambda state: state["frame"] > 0)
        found = wait_until("the window is on the display", lambda: self.tool("search", "--class", "^kinetoscope$"))
        self.window = found.split()[-1]
        self.tool("windowmove", self.window, 0, 0)
        self.tool("windowfocus", self.window)
        return self

    def tool(self, *arguments):
        """Runs xdotool and returns its output."""
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.tool_environment, text=True,
                              capture_output=True)
        if done.returncode != 0 and arguments[0] != "search":
            raise Failed(f"xdotool {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout.strip()

    # ---- State and pictures ----

    def state(self):
        try:
            return json.loads(self.state_path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {"frame": 0, "documents": [], "view": None, "complete": False, "settled": False}

    def wait(self, what, holds):
        """Waits until holds(state) and returns that state."""
        def probe():
            if self.process.poll() is not None:
                raise Failed(f"the program ended with {self.process.returncode} while waiting for: {what}\n"
                             + self.errors())
            state = self.state()
            return state if holds(state) else None
        try:
            return wait_until(what, probe)
        except Failed as failure:
            raise Failed(f"{failure}; the state is {json.dumps(self.brief(self.state()))}") from None

    @staticmethod
    def brief(state):
        view = state.get("view")
        return {**state, "view": view and {**view, "lanes": f"{len(view['lanes'])} lanes"}}

    def settled(self, what="nothing moves any more", holds=lambda state: True):
        """Waits until the view is at rest with all tiles and holds(state)."""
        return self.wait(what, lambda state: state["settled"] and holds(state))

    def ready(self, count=1):
        """Waits until `count` documents are loaded and drawn."""
        return self.settled(f"{count} documents are loaded", lambda state: len(state["documents"]) == count and all(
            document["state"] != "loading" for document in state["documents"]))

    def picture(self, what, holds):
        """Waits until holds(picture): the server shows a frame a moment after the program has drawn it."""
        seen = []

        def probe():
            seen[:] = [self.display.picture()]
            return holds(seen[0])
        wait_until(what, probe)
        return seen[0]

    def resting_picture(self):
        """Returns the picture once two consecutive ones are equal."""
        before = [self.display.picture()]

        def probe():
            time.sleep(0.1)
            now = self.display.picture()
            same = now.pixels == before[0].pixels
            before[0] = now
            return same
        wait_until("the screen rests", probe)
        return before[0]

    def errors(self):
        return self.errors_path.read_text(encoding="utf-8", errors="replace")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # ---- Input ----

    def key(self, *keys):
        self.tool("key", *map(by_code, keys))

    def hold(self, key, what, holds):
        """Holds the key until holds(state), releases it, and returns the state at rest."""
        self.tool("keydown", by_code(key))
        try:
            self.wait(what, holds)
        finally:
            self.tool("keyup", by_code(key))
        return self.rest()

    def rest(self):
        """Returns the state once no frame has followed for a while. For input whose effect was checked before."""
        last = [None]

        def probe():
            time.sleep(0.25)
            state = self.state()
            same = last[0] == state["frame"] and state["settled"]
            last[0] = state["frame"]
            return state if same else None
        return wait_until("the view rests", probe)

    def point(self, x, y):
        self.tool("mousemove", round(x), round(y))

    def click(self, x, y, button=1):
        self.point(x, y)
        self.tool("click", button)

    def type_in_box(self, text, key="slash"):
        """Opens the box in the window bar with this key, types, and returns the state once the text is in the box."""
        self.key(key)
        self.wait("the box is open", lambda state: state["box"]["open"])
        self.tool("type", "--delay", 20, text)
        return self.settled(f"'{text}' is typed", lambda state: state["box"].get("text", "").endswith(text))

    def take_from_box(self, text, key="slash"):
        """Types into the box and takes the first entry. Returns the state once the box is closed."""
        self.type_in_box(text, key)
        self.key("Return")
        return self.settled("the box is closed", lambda state: not state["box"]["open"])

    def clipboard(self):
        """Reads the clipboard of the window by pasting it into the box."""
        self.key("slash")
        self.wait("the box is open", lambda state: state["box"]["open"])
        self.rest()
        self.key("ctrl+a", "BackSpace", "ctrl+v")
        text = self.settled("it is pasted", lambda state: state["box"].get("text"))["box"]["text"]
        self.key("Escape")
        self.settled("the box is closed", lambda state: not state["box"]["open"])
        return text

    def wheel(self, up, notches=1):
        self.tool("click", "--repeat", notches, "--delay", 30, 4 if up else 5)

    def drop(self, *files, at=(300, 300)):
        done = subprocess.run([self.xdnd_source, self.window, str(at[0]), str(at[1]), *map(str, files)],
                              env=self.tool_environment, text=True, capture_output=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise Failed(done.stderr.strip())

    def save(self, name=None):
        """Saves under the suggested name, or under `name` in the same folder. Waits until the dialog is closed, so that
        it gets no later click, or until it asks whether to replace a file."""
        state = self.settled("it asks where to save", lambda now: now["browser"] and now["browser"]["name"])
        if name:
            self.key("ctrl+a")
            self.tool("type", "--delay", "20", name)
            self.wait("the name is typed", lambda now: now["browser"]["name"] == name)
        self.key("Return")
        self.settled("the question is answered", lambda now: not now["browser"] or now["browser"]["confirms"])
        return pathlib.Path(state["browser"]["folder"]) / (name or state["browser"]["name"])

    def quit(self):
        """Quits the program and returns its exit code."""
        if self.process.poll() is None:
            self.key("ctrl+q")
        return self.process.wait(PATIENCE)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


# ---- Positions from the state ----

def span_ns(state):
    return state["view"]["to_ns"] - state["view"]["from_ns"]


def ns_per_px(state):
    return span_ns(state) / state["view"]["area"][2]


def x_of(state, time_ns):
    """Returns the window's x position of a time."""
    return state["view"]["area"][0] + (time_ns - state["view"]["from_ns"]) / ns_per_px(state)


def time_at(state, x):
    return state["view"]["from_ns"] + (x - state["view"]["area"][0]) * ns_per_px(state)


def lanes(state, track):
    """Returns the visible slice lanes of a track from top to bottom."""
    found = [lane for lane in state["view"]["lanes"] if lane["track"] == track and lane["row"] is not None]
    if not found:
        raise Failed(f"no lane of '{track}' is in sight; there are {sorted({lane['track'] for lane in state['view']['lanes']})}")
    return found
