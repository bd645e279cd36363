"""The environment of one check."""

import json
import pathlib

import traces
from viewer import Viewer


class Room:
    """The environment of one check: a temporary folder and the viewers that the check starts."""

    def __init__(self, arguments, display, folder):
        self.arguments, self.display, self.folder = arguments, display, pathlib.Path(folder)
        self.viewers = []

    def start(self, *files, options=(), size="1600x900", path=None, environment=(), cached=False, inspector=False):
        """Starts a viewer. Unless `inspector` is set, a viewer without settings has no inspector beside the tracks."""
        settings = self.folder / "viewer" / "config" / "kinetoscope" / "settings.json"
        if not inspector and not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(json.dumps({"theme": "dark", "inspector": False, "dragging": "selects"}))
        options = options if cached else ("--no-cache", *options)
        viewer = Viewer(self.arguments.kinetoscope, self.arguments.xdnd_source, self.display,
                        self.folder / "viewer", files, ("--scale", "1", "--size", size, *options), path, environment)
        self.viewers.append(viewer)
        viewer.attach()
        viewer.point(2, self.display.HEIGHT - 2)
        return viewer

    def landmarks(self, **how):
        """Starts a viewer with the trace of known slices, and waits until it is at rest."""
        viewer = self.start(traces.landmarks(self.folder / "landmarks.pt.trace.json"), **how)
        viewer.ready()
        return viewer

    def close(self):
        for viewer in self.viewers:
            viewer.kill()
