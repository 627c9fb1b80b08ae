# ---
# name: json_pointer
# version: "1.0.0"
# description: Look up places in a JSON document by JSON Pointer.
# inputs:
#   - name: document
#     type: object
#     description: The document.
#     tainted_ok: true
#   - name: pointers
#     type: array
#     items: string
#     description: Places such as /items/0/name.
# outputs:
#   type: object
#   description: What was found at each pointer, and the pointers that lead nowhere.
#   properties:
#     found: {type: object}
#     missing: {type: array, items: {type: string}}
#   required: [found, missing]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import json
import sys
from functools import reduce

NOWHERE = object()


def step(value, token):
    if value is NOWHERE:
        return NOWHERE
    name = token.replace("~1", "/").replace("~0", "~")
    if isinstance(value, dict):
        return value.get(name, NOWHERE)
    if isinstance(value, list) and name.isdecimal() and (name == "0" or name[0] != "0"):
        return value[int(name)] if int(name) < len(value) else NOWHERE
    return NOWHERE


def look_up(document, pointer):
    if pointer == "":
        return document
    if not pointer.startswith("/"):
        raise ValueError(f"a pointer begins with a slash: {pointer!r}")
    return reduce(step, pointer[1:].split("/"), document)


def main(document, pointers):
    results = {pointer: look_up(document, pointer) for pointer in pointers}
    return {
        "found": {pointer: value for pointer, value in results.items() if value is not NOWHERE},
        "missing": [pointer for pointer, value in results.items() if value is NOWHERE],
    }


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
