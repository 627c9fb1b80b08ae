# ---
# name: unit_table
# version: "1.0.0"
# description: The units that length_convert and its friends know, with their size in metres.
# inputs: []
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
from decimal import Decimal

INCH = Decimal("0.0254")
UNITS = {"in": INCH, "ft": INCH * 12, "yd": INCH * 36, "mi": INCH * 63360, "nmi": Decimal(1852)}


def main():
    return {name: str(size.normalize()) for name, size in sorted(UNITS.items())}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read() or "{}")
    print(json.dumps(main(**args)))
