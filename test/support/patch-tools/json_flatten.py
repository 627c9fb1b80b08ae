# ---
# name: json_flatten
# version: "1.0.0"
# description: Flatten a nested object into one level with dotted names, or build it up again.
# inputs:
#   - name: value
#     type: object
#     description: The object.
#     tainted_ok: true
#   - name: unflatten
#     type: boolean
#     description: Go the other way.
#     required: false
#     default: false
#   - name: separator
#     type: string
#     description: What stands between the steps of a name.
#     required: false
#     default: "."
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


def leaves(value, path):
    if isinstance(value, dict) and value:
        for key, member in value.items():
            yield from leaves(member, path + [key])
    elif isinstance(value, list) and value:
        for index, member in enumerate(value):
            yield from leaves(member, path + [str(index)])
    else:
        yield path, value


def listed(value):
    """Objects whose names are 0, 1, 2 … were lists."""
    if not isinstance(value, dict):
        return value
    members = {key: listed(member) for key, member in value.items()}
    if members and list(members) == [str(index) for index in range(len(members))]:
        return list(members.values())
    return members


def main(value, unflatten=False, separator="."):
    if not unflatten:
        return {separator.join(path): leaf for path, leaf in leaves(value, []) if path}
    built = {}
    for name, leaf in value.items():
        *steps, last = name.split(separator)
        place = built
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = leaf
    return {key: listed(member) for key, member in built.items()}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), separators=(",", ":")))
