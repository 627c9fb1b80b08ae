# ---
# name: toml_to_json
# version: "1.0.0"
# description: Read TOML, such as a project file, as JSON; dates become text.
# inputs:
#   - name: text
#     type: string
#     description: The TOML.
#     tainted_ok: true
# outputs:
#   type: object
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.11"
# ---
import datetime
import json
import math
import sys
import tomllib


def plain(value):
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    raise TypeError(f"cannot show a {type(value).__name__}")


def finite(value):
    """JSON has no infinity; json.dumps would write a word for it that nobody can read."""
    if isinstance(value, dict):
        return {key: finite(member) for key, member in value.items()}
    if isinstance(value, list):
        return [finite(member) for member in value]
    return plain(value) if isinstance(value, float) and not math.isfinite(value) else value


def main(text):
    return finite(tomllib.loads(text))


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args), default=plain, allow_nan=False))
