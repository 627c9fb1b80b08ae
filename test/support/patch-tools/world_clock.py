# ---
# name: world_clock
# version: "1.0.0"
# description: What a local time in one zone is in other zones.
# inputs:
#   - name: time
#     type: string
#     description: A local time without offset, such as 2026-07-01T09:00.
#   - name: zone
#     type: string
#     description: Its zone, such as Europe/Berlin.
#   - name: others
#     type: array
#     items: {type: string}
#     description: Zones to show it in.
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.9"
# ---
import json
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def zone_named(name):
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise SystemExit(f"there is no zone {name}") from None


def main(time, zone, others):
    local = datetime.fromisoformat(time).replace(tzinfo=zone_named(zone))
    # A time that the clocks jump over comes back changed from a trip through UTC.
    back = local.astimezone(timezone.utc).astimezone(local.tzinfo)
    if back.replace(tzinfo=None) != local.replace(tzinfo=None):
        raise SystemExit(f"{time} does not exist in {zone}")
    return {name: local.astimezone(zone_named(name)).isoformat(timespec="minutes") for name in [zone, *others]}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
