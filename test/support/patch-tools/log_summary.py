# ---
# name: log_summary
# version: "1.1.0"
# description: Summarise the lines of a log by level, with the first line of each kind of error.
# inputs:
#   - name: log
#     type: string
#     description: Lines with a level in them, such as "12:00 ERROR disk full".
#     tainted_ok: true
# outputs:
#   type: object
#   properties:
#     levels: {type: object}
#     errors: {type: array, items: {type: string}}
#     unreadable: {type: integer}
#   required: [levels, errors, unreadable]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
"""Tells on standard error what it could not read, as a well-behaved program does."""

import json
import logging
import re
import sys
from collections import defaultdict

LEVEL = re.compile(r"\b(DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b[:\]]?\s*(.*)")
NUMBERS = re.compile(r"\d+")
LOG = logging.getLogger("log_summary")


def main(log):
    levels, errors, unreadable = defaultdict(int), {}, 0
    for number, line in enumerate(log.splitlines(), start=1):
        match = LEVEL.search(line)
        if match is None:
            if line.strip():
                unreadable += 1
                LOG.warning("line %d has no level", number)
            continue
        level = {"WARNING": "WARN", "CRITICAL": "FATAL"}.get(match[1], match[1])
        levels[level] += 1
        if level in ("ERROR", "FATAL"):
            errors.setdefault(NUMBERS.sub("#", match[2]), match[2])
    return {"levels": dict(sorted(levels.items())), "errors": list(errors.values()), "unreadable": unreadable}


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
