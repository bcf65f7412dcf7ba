# SPDX-License-Identifier: Apache-2.0
"""Expectations that show what was found instead."""

import json
import re


def equal(found, expected, about=""):
    assert found == expected, f"{about}\nfound    {found!r}\nexpected {expected!r}"


def status(ended, expected):
    assert ended.status == expected, f"expected status {expected}:\n{ended}"


def contains(text, *pieces):
    for piece in pieces:
        assert piece in text, f"expected {piece!r} in:\n{text}"


def matches(text, pattern):
    found = re.search(pattern, text, re.MULTILINE)
    assert found, f"expected /{pattern}/ in:\n{text}"
    return found


def absent(text, *pieces):
    for piece in pieces:
        assert piece not in text, f"expected no {piece!r} in:\n{text}"


def valid_json(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise AssertionError(f"{error} in:\n{text}") from None
