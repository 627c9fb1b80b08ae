# ---
# name: check_iban
# version: "1.0.0"
# description: Whether an IBAN is written right, by its length and its check digits; it is not looked up anywhere.
# inputs:
#   - name: iban
#     type: string
#     description: The account number, with or without spaces.
#     tainted_ok: true
# outputs:
#   type: object
#   properties:
#     valid: {type: boolean}
#     reason: {type: string}
#     formatted: {type: string}
#   required: [valid]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
# ---
import json
import re
import sys

LENGTHS = {"AT": 20, "BE": 16, "CH": 21, "DE": 22, "ES": 24, "FR": 27, "GB": 22, "IT": 27, "NL": 18, "PL": 28}


def problem(text):
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]+", text):
        return "it does not begin with two letters and two digits"
    wanted = LENGTHS.get(text[:2])
    if wanted is None:
        return f"the country {text[:2]} is not known"
    if len(text) != wanted:
        return f"it has {len(text)} characters instead of {wanted}"
    digits = "".join(str(int(it, 36)) for it in text[4:] + text[:4])
    return "" if int(digits) % 97 == 1 else "its check digits are wrong"


def main(iban):
    text = re.sub(r"[\s-]", "", iban).upper()
    reason = problem(text)
    if reason:
        return {"valid": False, "reason": reason}
    return {"valid": True, "formatted": " ".join(text[at : at + 4] for at in range(0, len(text), 4))}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
