# ---
# name: hmac_sign
# version: "1.0.0"
# description: Sign a message with a key, or check a signature in constant time.
# inputs:
#   - name: message
#     type: string
#     description: The message.
#     tainted_ok: true
#   - name: key
#     type: string
#     description: The key as text.
#   - name: signature
#     type: string
#     description: A signature to check; leave it out to sign.
#     required: false
#   - name: encoding
#     type: string
#     description: hex, base64 or base64url.
#     required: false
#     default: hex
# outputs:
#   type: object
#   properties:
#     signature: {type: string}
#     valid: {type: boolean}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import base64
import hashlib
import hmac
import json
import sys
from typing import Optional

ENCODERS = {
    "hex": lambda raw: raw.hex(),
    "base64": lambda raw: base64.b64encode(raw).decode(),
    "base64url": lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("="),
}


def main(message: str, key: str, signature: Optional[str] = None, encoding: str = "hex") -> dict:
    encode = ENCODERS[encoding]
    made = encode(hmac.new(key.encode(), message.encode(), hashlib.sha256).digest())
    if signature is None:
        return {"signature": made}
    return {"valid": hmac.compare_digest(made.encode(), signature.encode())}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
