#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# ---
# name: slugify
# version: "1.2.0"
# description: Turn a title into a slug for an address, with accents folded and words joined.
# inputs:
#   - name: title
#     type: string
#     description: The title, in any script that Latin letters can stand in for.
#     tainted_ok: true
#   - name: separator
#     type: string
#     description: What joins the words.
#     required: false
#     default: "-"
#   - name: max_length
#     type: integer
#     description: Longest slug to give; 0 for no bound. Words are never cut in two.
#     required: false
#     default: 80
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: []
# generated_by: a person
# generated_at: 2026-03-01T08:00:00Z
# ---
import json
import re
import sys
import unicodedata

# Letters that have no decomposition into a base letter and a mark.
SPECIAL = str.maketrans({"ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "þ": "th"})
WORD = re.compile(r"[a-z0-9]+")


def fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(SPECIAL))
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()


def main(title: str, separator: str = "-", max_length: int = 80) -> str:
    words = WORD.findall(fold(title).replace("'", "").replace("’", ""))
    slug = ""
    for word in words:
        longer = word if not slug else f"{slug}{separator}{word}"
        if max_length and len(longer) > max_length:
            break
        slug = longer
    return slug


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
