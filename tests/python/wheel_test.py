# Covers: no unit
"""The installed wheel: its name, its files, its command and its registration."""
import importlib.metadata
import pathlib
import subprocess
import sys

import kinetoscope
from kinetoscope import program


def test_contains_the_program_and_its_version():
    assert program.find_program() == str(program.PACKAGED)
    printed = subprocess.run([program.PACKAGED, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.split()[1].split("+")[0] == kinetoscope.__version__


def test_is_for_linux_of_one_machine_and_any_python_3():
    lines = importlib.metadata.distribution("kinetoscope").read_text("WHEEL").splitlines()
    assert [line.rpartition("_")[0] for line in lines if line.startswith("Tag:")] in (
        ["Tag: py3-none-manylinux2014_x86"], ["Tag: py3-none-manylinux2014"])


def test_records_every_file_with_its_hash():
    files = importlib.metadata.files("kinetoscope")
    assert {"py.typed", "bin/kinetoscope", "watchdog.py"} <= {str(file).partition("/")[2] for file in files}
    assert all(file.hash for file in files if "RECORD" not in file.name and file.suffix != ".pyc")


def test_the_command_is_the_program():
    command = pathlib.Path(sys.executable).parent / "kinetoscope"
    done = subprocess.run([command, "table", "kernels", "--columns"], capture_output=True, text=True, check=True)
    assert "total_ns" in done.stdout
    assert subprocess.run([command, "info", "no file"], capture_output=True, check=False).returncode == 1


def test_the_command_does_not_start_itself(monkeypatch):
    command = pathlib.Path(sys.executable).parent / "kinetoscope"
    monkeypatch.setenv("KINETOSCOPE", str(command))
    done = subprocess.run([command], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1 and "not the program" in done.stderr


def test_registers_itself_with_jupyter_server_proxy():
    found = [entry for entry in importlib.metadata.distribution("kinetoscope").entry_points
             if entry.group == "jupyter_serverproxy_servers"]
    settings = found[0].load()()
    assert settings["command"][:2] == [str(program.PACKAGED), "serve"] and settings["unix_socket"] is True
