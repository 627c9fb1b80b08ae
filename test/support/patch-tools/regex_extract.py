# ---
# name: regex_extract
# version: "1.0.0"
# description: Find every match of a regular expression with its place and its groups.
# inputs:
#   - name: text
#     type: string
#     description: Where to look.
#     tainted_ok: true
#   - name: pattern
#     type: string
#     description: A regular expression of Python.
#   - name: flags
#     type: string
#     description: Any of the letters i, m, s and x.
#     required: false
#     default: ""
#   - name: limit
#     type: integer
#     description: Stop after so many matches.
#     required: false
#     default: 1000
# outputs:
#   type: array
#   items: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import itertools
import json
import re
import sys

FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


def compiled(pattern, letters):
    flags = re.NOFLAG
    for letter in letters:
        if letter not in FLAGS:
            raise ValueError(f"unknown flag {letter!r}")
        flags |= FLAGS[letter]
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ValueError(f"the pattern is wrong at position {error.pos}: {error.msg}") from None


def main(text, pattern, flags="", limit=1000):
    matches = itertools.islice(compiled(pattern, flags).finditer(text), limit)
    return [
        {
            "match": it.group(),
            "start": it.start(),
            "line": text.count("\n", 0, it.start()) + 1,
            "groups": list(it.groups()),
            "named": it.groupdict(),
        }
        for it in matches
    ]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
