"""The list of checks, and what they say when something is not as it should be."""

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
