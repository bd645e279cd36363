"""Finds out how the browser that shows the notebook can reach a port of this machine."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import os
import sys
import urllib.parse
from typing import Any, Optional

from .errors import KinetoscopeError

# Variables of JupyterHub with its address, after the variable of this package.
HOST_VARIABLES = ("KINETOSCOPE_HOST", "JUPYTERHUB_PUBLIC_URL", "JUPYTERHUB_HOST")


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """How to reach a port: through the proxy below `prefix`, as one of `hosts`, or directly if `prefix` is None."""

    prefix: Optional[str] = None
    hosts: tuple[str, ...] = ()
    frames: bool = True
    """Whether the notebook can show a page in a frame. Otherwise it shows a link."""


def in_vscode() -> bool:
    """Whether the notebook is shown by VS Code, which forwards ports by itself."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return "VSCODE_PID" in os.environ or "__vsc_ipynb_file__" in getattr(shell, "user_ns", {})


def jupyter_prefix() -> Optional[str]:
    """Returns the base URL of the Jupyter server that started this kernel. None if there is no such server."""
    parent = os.environ.get("JPY_PARENT_PID", "")
    if importlib.util.find_spec("jupyter_server") is None or not parent:
        return None
    application: Any = importlib.import_module("jupyter_server.serverapp")
    for running in application.list_running_servers():
        if str(running.get("pid")) == parent:
            return str(running["base_url"])
    return None


def host_of(address: str) -> str:
    """Returns HOST or HOST:PORT of a URL or of such a text."""
    return urllib.parse.urlsplit(address).netloc if "//" in address else address.strip("/")


def surroundings(proxy: Optional[bool], host: Optional[str]) -> Surroundings:
    """Returns how to reach a port. `proxy` and `host` are as for view().

    Raises KinetoscopeError if a proxy is needed whose path or host is unknown.
    """
    hosts = tuple(host_of(given) for given in [host or "", *(os.environ.get(name, "") for name in HOST_VARIABLES)] if given)
    hub = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if proxy is False:
        return Surroundings(hosts=hosts[:1], frames=not in_vscode())
    if hub:
        if not hosts:
            raise KinetoscopeError("The address of JupyterHub is unknown; name its host, as in the browser: "
                                   'view(path, host="hub.example"), or set the environment variable KINETOSCOPE_HOST')
        return Surroundings(hub, hosts[:1])
    if proxy is None and in_vscode():
        return Surroundings(frames=False)
    if proxy or importlib.util.find_spec("jupyter_server_proxy") is not None:
        prefix = jupyter_prefix()
        if prefix is not None:
            return Surroundings(prefix, hosts[:1])
        if proxy:
            raise KinetoscopeError("The Jupyter server of this kernel was not found; use proxy=False")
    return Surroundings(hosts=hosts[:1])
