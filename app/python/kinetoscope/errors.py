"""Errors and warnings of the package."""

from __future__ import annotations


class KinetoscopeError(RuntimeError):
    """A call failed. The text is the sentence that the program printed.

    `exit_code` is the exit code of the program (`kinetoscope --help` lists them), or None if the program did not run.
    """

    def __init__(self, sentence: str, exit_code: int | None = None) -> None:
        super().__init__(sentence)
        self.exit_code = exit_code


class KinetoscopeWarning(UserWarning):
    """The result is valid, but the program has a remark, such as that the file is truncated or that the SQL is slow."""
