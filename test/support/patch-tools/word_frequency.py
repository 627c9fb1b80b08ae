# ---
# name: word_frequency
# version: "2.0.1"
# description: List the most frequent words of a text with how often each occurs.
# inputs:
#   - name: text
#     type: string
#     description: The text to count in.
#     tainted_ok: true
#   - name: top
#     type: integer
#     description: How many words to list.
#     required: false
#     default: 10
#   - name: stop_words
#     type: array
#     items:
#       type: string
#     description: Words that do not count.
#     required: false
#     default: []
# outputs:
#   type: array
#   description: Entries with a word and its count, the most frequent first.
#   items: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   packages: []
# ---
"""Counts words. A word is a run of letters, with apostrophes and hyphens inside it."""

import json
import re
import sys
from collections import Counter

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def words(text, ignored):
    for match in WORD.finditer(text):
        word = match.group().casefold()
        if word not in ignored:
            yield word


def main(text, top=10, stop_words=()):
    if top < 1:
        raise ValueError("top must be at least 1")
    ignored = {word.casefold() for word in stop_words}
    counted = Counter(words(text, ignored))
    # Equal counts are listed by the alphabet, so that the answer does not depend on the order of the text.
    ranked = sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))
    return [{"word": word, "count": count} for word, count in ranked[:top]]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), ensure_ascii=False))
