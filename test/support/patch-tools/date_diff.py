# ---
# name: date_diff
# version: "2.1.0"
# description: The time between two dates as years, months and days, and as days in all.
# inputs:
#   - name: start
#     type: string
#     description: A date such as 2026-01-31.
#   - name: end
#     type: string
#     description: Another date; it may lie before the first.
# outputs:
#   type: object
#   properties:
#     years: {type: integer}
#     months: {type: integer}
#     days: {type: integer}
#     total_days: {type: integer}
#     weeks: {type: number}
#     sign: {type: integer}
#   required: [years, months, days, total_days]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
# generated_by: claude-opus-4-7
# generated_at: 2026-05-04T12:34:56Z
# ---
import calendar
import json
import sys
from datetime import date


def add_months(day, months):
    """The same day of a later month, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def main(start, end):
    first, last = date.fromisoformat(start), date.fromisoformat(end)
    sign = 1 if last >= first else -1
    if sign < 0:
        first, last = last, first
    months = (last.year - first.year) * 12 + last.month - first.month
    if add_months(first, months) > last:
        months -= 1
    total = (last - first).days
    return {
        "years": months // 12,
        "months": months % 12,
        "days": (last - add_months(first, months)).days,
        "total_days": sign * total,
        "weeks": round(total / 7, 2),
        "sign": sign,
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
