"""Reads one JSON object from stdin, runs the named action and prints one JSON value."""

import json
import sys

from csv_profile import table

ACTIONS = {"profile": table.profile, "totals": table.totals}


def main(argv: list[str]) -> int:
    if len(argv) != 2 or argv[1] not in ACTIONS:
        return fail("usage", f"choose an action: {', '.join(ACTIONS)}")
    try:
        result = ACTIONS[argv[1]](**json.load(sys.stdin))
    except table.TableError as error:
        return fail(error.code, str(error))
    json.dump(result, sys.stdout, ensure_ascii=False)
    print()
    return 0


def fail(code: str, message: str) -> int:
    print(json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
