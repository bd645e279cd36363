"""Shows the window in a notebook."""

from __future__ import annotations

import html
import os
import pathlib
from typing import Optional, Union

from .errors import KinetoscopeError
from .server import Server, server_of
from .surroundings import surroundings


class View:
    """The window in a notebook: displayed as the result of a cell. `url` opens it in a tab of a browser on this machine.

    The URL contains the token of the server, and so does the saved output of the cell. The server ends with this process, and the
    token is then worthless.
    """

    def __init__(self, server: Server, height: int, frames: bool, proxied: bool) -> None:
        self.server, self.height = server, height
        self.url = server.url
        self._source = server.proxied_url if proxied else server.url
        self._frames = frames

    def stop(self) -> None:
        """Ends the server and all of its windows. The next view() starts it again."""
        self.server.stop()

    def _repr_html_(self) -> str:
        source = html.escape(self._source, quote=True)
        link = f'<a href="{source}" target="_blank" rel="noopener">Open Kinetoscope in a tab</a>'
        if not self._frames:
            return link
        return (f'<iframe src="{source}" width="100%" height="{self.height}" style="border:0" '
                f'allow="clipboard-read; clipboard-write; fullscreen"></iframe><br>{link}')

    def __repr__(self) -> str:
        return f"Kinetoscope: {self.url}"


def view(*paths: Union[str, "os.PathLike[str]"], height: int = 720, proxy: Optional[bool] = None,
         host: Optional[str] = None) -> View:
    """Shows files and folders in the window, in a frame of `height` pixels, or by a link in VS Code.

    Starts `kinetoscope serve` once per set of paths. The server listens on a random port of 127.0.0.1, requires a random token,
    and ends with this process. Other files cannot be opened in the window.

    If the browser cannot reach a port of this machine, jupyter-server-proxy passes requests on. It is used behind JupyterHub, and
    wherever it is installed; `proxy` overrides this. `host` is the name under which the browser reaches Jupyter, such as
    hub.example, unless that is localhost. It can also be in the environment variable KINETOSCOPE_HOST.

    Raises KinetoscopeError if a path does not exist or the server does not start.
    """
    if not paths:
        raise KinetoscopeError("view() needs a file or a folder")
    files = [pathlib.Path(path).expanduser() for path in paths]
    around = surroundings(proxy, host)
    server = server_of(files, around.prefix, around.hosts)
    return View(server, int(height), around.frames, around.prefix is not None)
