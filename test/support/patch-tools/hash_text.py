# ---
# name: hash_text
# version: "1.3.0"
# description: Digest of a text with one of the usual hash functions, as hexadecimal digits.
# inputs:
#   - name: text
#     type: string
#     description: The text; its UTF-8 bytes are hashed.
#     tainted_ok: true
#   - name: algorithm
#     type: string
#     description: One of sha256, sha512, sha3_256, blake2b, sha1, md5.
#     required: false
#     default: sha256
#   - name: length
#     type: integer
#     description: Digits to keep; 0 for all of them.
#     required: false
#     default: 0
# outputs:
#   type: string
#   description: Lower-case hexadecimal digits.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
# ---
import hashlib
import json
import sys

KNOWN = ("sha256", "sha512", "sha3_256", "blake2b", "sha1", "md5")


def main(text: str, algorithm: str = "sha256", length: int = 0) -> str:
    name = algorithm.lower().replace("-", "")
    if name not in KNOWN:
        raise ValueError(f"{algorithm} is not offered; take one of {', '.join(KNOWN)}")
    digest = hashlib.new(name, text.encode("utf-8"), usedforsecurity=False).hexdigest()
    return digest[:length] if length > 0 else digest


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
