# Covers: no unit
"""The frame of view() on a page of this machine, as in a notebook, in a headless Chromium."""
import http.server
import pathlib
import shutil
import threading
import time

import pytest

from serve_client import Chromium

PATIENCE_S = 60
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def descendants(pid):
    """Returns the processes that a process has started, and those that these have started."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        if parent == pid:
            child = int(stat.parent.name)
            found += [child, *descendants(child)]
    return found


class Notebook(http.server.BaseHTTPRequestHandler):
    """A page with the output of a cell."""

    output = ""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><body>{self.output}</body>".encode())

    def log_message(self, *_):
        pass


@pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
def test_a_page_of_this_machine_shows_the_window_in_a_frame(trace, tmp_path):
    view = trace.view(proxy=False)
    Notebook.output = view._repr_html_()
    before = len(descendants(view.server.pid))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = Chromium(BROWSER, f"http://localhost:{server.server_address[1]}/", 900, 800, tmp_path)
        try:
            # The server starts a session when a page has sent the token.
            for _ in range(PATIENCE_S * 10):
                if len(descendants(view.server.pid)) > before:
                    break
                time.sleep(0.1)
            else:
                pytest.fail("the frame shows no window")
        finally:
            page.close()
            server.shutdown()
    view.stop()
