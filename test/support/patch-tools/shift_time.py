# ---
# name: shift_time
# version: "1.0.0"
# description: Move a time by a duration such as 1d12h or -90m, with its offset from UTC kept.
# inputs:
#   - name: time
#     type: string
#     description: An ISO 8601 time with an offset.
#   - name: by
#     type: string
#     description: Numbers with w, d, h, m or s behind them; a leading "-" goes back.
#   - name: offset_minutes
#     type: integer
#     description: Offset from UTC to show the result in; the one of the time unless given.
#     required: false
#     default: null
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import asyncio
import json
import re
import sys
from datetime import datetime, timedelta, timezone

UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
DURATION = re.compile(r"(-?)((?:\d+[wdhms])+)")


def duration(text):
    match = DURATION.fullmatch(text.replace(" ", ""))
    if match is None:
        raise ValueError(f"{text!r} is not a duration; write it like 1d12h")
    parts = re.findall(r"(\d+)([wdhms])", match.group(2))
    total = sum((timedelta(**{UNITS[unit]: int(number)}) for number, unit in parts), timedelta())
    return -total if match.group(1) else total


async def main(time, by, offset_minutes=None):
    """Asynchronous for the sake of being it: some tools are made from a larger program."""
    moment = datetime.fromisoformat(time.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        raise ValueError("the time has no offset")
    await asyncio.sleep(0)
    moved = moment + duration(by)
    if offset_minutes is not None:
        moved = moved.astimezone(timezone(timedelta(minutes=offset_minutes)))
    return moved.isoformat()


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(asyncio.run(main(**args))))
