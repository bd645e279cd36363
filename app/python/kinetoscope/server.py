"""The processes of `kinetoscope serve`: at most one per set of files, each of which ends with this process."""

from __future__ import annotations

import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from typing import Optional

from .errors import KinetoscopeError
from .program import file_arguments, find_program

WATCHDOG = pathlib.Path(__file__).parent / "watchdog.py"
TRIES = 3  # another process may take the free port first


def free_port() -> int:
    """Returns a random port of 127.0.0.1 that no process listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A running `kinetoscope serve` on a random port of 127.0.0.1, with a random token.

    `prefix` is the path of a Jupyter server, such as /user/anna/, whose proxy passes requests on; without a proxy, it is None.
    `hosts` are the names under which browsers reach the proxy.
    """

    def __init__(self, files: Sequence[str], prefix: Optional[str], hosts: Sequence[str]) -> None:
        for attempt in range(TRIES):
            try:
                self._start(files, prefix, hosts)
                return
            except KinetoscopeError:
                if attempt == TRIES - 1:
                    raise

    def _start(self, files: Sequence[str], prefix: Optional[str], hosts: Sequence[str]) -> None:
        self.port = free_port()
        self.base_path = "/" if prefix is None else f"{prefix.rstrip('/')}/proxy/{self.port}/"
        options = [f"--port={self.port}", f"--base-path={self.base_path}", *(f"--allow-host={host}" for host in hosts)]
        with tempfile.TemporaryFile() as errors:
            self._process = subprocess.Popen([sys.executable, "-I", str(WATCHDOG), find_program(), "serve", *files, *options],
                                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                                             start_new_session=True)
            assert self._process.stdout is not None
            with self._process.stdout as output:
                line = output.readline().decode("utf-8", "replace")
                output.readline()  # the ssh command
            found = re.search(r"#token=(\w+)", line)
            if found is None:
                self.stop()
                errors.seek(0)
                sentence = errors.read().decode("utf-8", "replace").strip().removeprefix("kinetoscope: ")
                raise KinetoscopeError(sentence or "kinetoscope serve did not start", self._process.returncode)
            self.token = found[1]

    @property
    def url(self) -> str:
        """The address for a browser on this machine."""
        return f"http://127.0.0.1:{self.port}{self.base_path}#token={self.token}"

    @property
    def proxied_url(self) -> str:
        """The address relative to the host of the proxy."""
        return f"{self.base_path}#token={self.token}"

    @property
    def pid(self) -> int:
        """The process that runs the server and ends it."""
        return self._process.pid

    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends the server and its sessions. Returns when they have ended."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


_servers: dict[tuple[tuple[str, ...], Optional[str], tuple[str, ...]], Server] = {}
_lock = threading.Lock()


def server_of(paths: Sequence[pathlib.Path], prefix: Optional[str], hosts: Sequence[str]) -> Server:
    """Returns the running server of these files, and starts it if necessary. Raises KinetoscopeError if it does not start."""
    files = file_arguments(paths)
    key = (tuple(files), prefix, tuple(hosts))
    with _lock:
        server = _servers.get(key)
        if server is None or not server.is_running():
            server = _servers[key] = Server(files, prefix, hosts)
        return server
