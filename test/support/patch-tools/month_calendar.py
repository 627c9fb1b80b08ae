# ---
# name: month_calendar
# version: "1.0.0"
# description: The weeks of a month as a list of lists, with 0 for days of other months.
# inputs:
#   - name: year
#     type: integer
#     description: A year from 1 to 9999.
#   - name: month
#     type: integer
#     description: A month from 1 to 12.
#   - name: first_weekday
#     type: string
#     description: The day that weeks begin with.
#     required: false
#     default: monday
# outputs:
#   type: array
#   items: {type: array, items: {type: integer}}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
#   packages: []
# external_auth: []
# ---
import calendar
import json
import sys

NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def main(year: int, month: int, first_weekday: str = "monday") -> list[list[int]]:
    weeks = calendar.Calendar(NAMES.index(first_weekday.lower()))
    return weeks.monthdayscalendar(year, month)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
