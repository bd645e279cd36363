"""Registration for jupyter-server-proxy, which adds Kinetoscope to the launcher of JupyterLab."""

from __future__ import annotations

from typing import Any

from .errors import KinetoscopeError
from .program import find_program


def setup() -> dict[str, Any]:
    """Returns the settings of the server at `kinetoscope/`, which shares the folder of the Jupyter server.

    It listens on a Unix socket of the user and therefore needs no token: Jupyter has authenticated its users already. The proxy
    replaces Host and Origin, since the server cannot know under which name browsers reach Jupyter.
    """
    try:
        program = find_program()
    except KinetoscopeError:
        program = "kinetoscope"  # an error here would disable the entries of other packages
    return {
        "command": [program, "serve", "--socket", "{unix_socket}", "--no-token", "--base-path", "{base_url}kinetoscope/"],
        "unix_socket": True,
        "absolute_url": False,
        "timeout": 30,
        "new_browser_tab": True,
        "request_headers_override": {"Host": "localhost", "Origin": "http://localhost"},
        "launcher_entry": {"title": "Kinetoscope"},
    }
