# ---
# name: mail_date
# version: "1.0.0"
# description: Turn the date of a mail header into an ISO 8601 time in UTC.
# inputs:
#   - name: header
#     type: string
#     description: Such as "Mon, 04 May 2026 14:34:56 +0200".
#     tainted_ok: true
# outputs:
#   type: string
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.10"
# ---
import json
import sys
from datetime import timezone
from email.utils import parsedate_to_datetime


def main(header):
    moment = parsedate_to_datetime(header.removeprefix("Date:").strip())
    if moment.tzinfo is None:
        # "-0000" says that the time is UTC and the sender's zone is not known.
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
