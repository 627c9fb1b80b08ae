# ---
# name: is_palindrome
# version: "1.0.0"
# description: Whether a sentence reads the same from both ends, letters and digits alone counting.
# inputs:
#   - name: sentence
#     type: string
#     description: The sentence, in any language.
#     tainted_ok: true
# outputs:
#   type: boolean
# capabilities: {}
# runtime:
#   language: python
# ---
import json
import sys
import unicodedata


def main(sentence):
    folded = unicodedata.normalize("NFD", sentence.casefold())
    letters = [unit for unit in folded if unicodedata.category(unit)[0] in "LN"]
    return letters == letters[::-1]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
