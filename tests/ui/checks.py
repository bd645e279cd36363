"""The list of checks, and the function that reports their failures."""

from viewer import Failed

CHECKS = []


def check(sentence):
    def add(function):
        CHECKS.append((sentence, function))
        return function
    return add


def expect(holds, what):
    if not holds:
        raise Failed(what)
