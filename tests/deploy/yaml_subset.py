"""The part of YAML that compose.yaml keeps to: mappings, lists, plain and quoted words, one kind of merge.

Anything else is refused, so a file that this reads is read alike by every reader of YAML.
"""

from __future__ import annotations

import json
import re
from typing import Any

_KEY = re.compile(r"([\w<.-]+):(?:\s+(.*))?$")


def read_yaml(text: str) -> Any:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if "\t" in line:
            raise ValueError(f"line {number}: a tab")
        bare = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if bare:
            rows.append((number, len(bare) - len(bare.lstrip()), bare.lstrip()))
    anchors: dict[str, Any] = {}
    value, rest = _block(rows, 0, anchors)
    if rest:
        raise ValueError(f"line {rest[0][0]}: does not belong to what stands above")
    return value


Rows = list[tuple[int, int, str]]


def _block(rows: Rows, indent: int, anchors: dict[str, Any]) -> tuple[Any, Rows]:
    if rows[0][2].startswith("- "):
        return _list(rows, indent, anchors)
    found: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    while rows and rows[0][1] == indent:
        number, _, text = rows[0]
        match = _KEY.match(text)
        if match is None:
            raise ValueError(f"line {number}: no key")
        key, told, rows = match[1], match[2] or "", rows[1:]
        if key in found:
            raise ValueError(f"line {number}: {key} stands there twice")
        anchor = told[1:] if told.startswith("&") else ""
        if not told or anchor:
            if not rows or rows[0][1] <= indent:
                raise ValueError(f"line {number}: {key} has no value")
            value, rows = _block(rows, rows[0][1], anchors)
        else:
            value = _word(told, number, anchors)
        if anchor:
            anchors[anchor] = value
        if key == "<<":
            merged = value
        else:
            found[key] = value
    return merged | found, rows


def _list(rows: Rows, indent: int, anchors: dict[str, Any]) -> tuple[Any, Rows]:
    found = []
    while rows and rows[0][1] == indent and rows[0][2].startswith("- "):
        found.append(_word(rows[0][2][2:], rows[0][0], anchors))
        rows = rows[1:]
    return found, rows


def _word(told: str, number: int, anchors: dict[str, Any]) -> Any:
    if told.startswith("*"):
        return anchors[told[1:]]
    if told == "{}":
        return {}
    if told.startswith("["):
        parts = re.findall(r'"[^"]*"|[^\s,\[\]"]+', told)
        return [_word(part, number, anchors) for part in parts]
    if told.startswith('"'):
        return json.loads(told)
    if told in ("true", "false"):
        return told == "true"
    if told.isdigit():
        return int(told)
    if re.match(r"[&!|>%@`'{]", told) or ": " in told:
        raise ValueError(f"line {number}: {told} is beyond this reader")
    return told
