# ---
# name: business_days
# version: "1.0.0"
# description: Count the working days between two dates, without weekends and the holidays given.
# inputs:
#   - name: start
#     type: string
#     description: First day, counted.
#   - name: end
#     type: string
#     description: Last day, counted.
#   - name: holidays
#     type: array
#     items:
#       type: string
#       format: date
#     description: Days off.
#     required: false
#     default: []
#   - name: weekend
#     type: array
#     items: {type: integer, minimum: 1, maximum: 7}
#     description: Days of the week that are free; 1 is Monday.
#     required: false
#     default: [6, 7]
# outputs:
#   type: integer
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import datetime as dt
import json
import sys


def days(first, last):
    day = first
    while day <= last:
        yield day
        day += dt.timedelta(days=1)


def main(start, end, holidays=(), weekend=(6, 7)):
    first, last = dt.date.fromisoformat(start), dt.date.fromisoformat(end)
    if last < first:
        raise ValueError("the last day lies before the first")
    if (last - first).days > 366 * 200:
        raise ValueError("more than two hundred years")
    off = {dt.date.fromisoformat(day) for day in holidays}
    free = set(weekend)
    return sum(1 for day in days(first, last) if day.isoweekday() not in free and day not in off)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
