# ---
# name: csv_to_json
# version: "1.5.0"
# description: Turn CSV text into a list of objects, with numbers and booleans recognized when wanted.
# inputs:
#   - name: text
#     type: string
#     description: The CSV, with a header line.
#     tainted_ok: true
#   - name: delimiter
#     type: string
#     description: What stands between fields.
#     required: false
#     default: ","
#   - name: convert
#     type: boolean
#     description: Whether "12" becomes 12, "true" becomes true and an empty field null.
#     required: false
#     default: true
# outputs:
#   type: array
#   items: {type: object}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: []
# ---
import csv
import io
import json
import re
import sys

INTEGER = re.compile(r"-?(0|[1-9]\d{0,15})")
DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d+")
WORDS = {"": None, "true": True, "false": False}


def value(field):
    if field is None:
        return None
    text = field.strip()
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    # "007" and "+49 30" are names for something, not amounts.
    if INTEGER.fullmatch(text):
        return int(text)
    if DECIMAL.fullmatch(text):
        return float(text)
    return field


def main(text, delimiter=",", convert=True):
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    rows = []
    for row in reader:
        if None in row:
            raise ValueError(f"line {reader.line_num} has more fields than the header")
        rows.append({name: value(field) if convert else field or "" for name, field in row.items()})
    return rows


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
