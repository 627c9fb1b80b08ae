# ---
# name: base64_convert
# version: "1.0.0"
# description: Encode text as base64 or decode it, in the plain or the URL alphabet.
# inputs:
#   - name: text
#     type: string
#     description: What to encode or decode.
#     tainted_ok: true
#   - name: decode
#     type: boolean
#     description: Decode instead of encode.
#     required: false
#     default: false
#   - name: url_safe
#     type: boolean
#     description: Use "-" and "_", without padding.
#     required: false
#     default: false
# outputs:
#   type: object
#   properties:
#     text: {type: string}
#     bytes: {type: integer}
#     is_text: {type: boolean}
#   required: [text, bytes, is_text]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import base64
import binascii
import json
import sys


def decoded(text, url_safe):
    compact = "".join(text.split())
    padded = compact + "=" * (-len(compact) % 4)
    try:
        return base64.b64decode(padded, altchars=b"-_" if url_safe else None, validate=True)
    except binascii.Error as error:
        print(f"cannot decode: {error}", file=sys.stderr)
        sys.exit(3)


def main(text, decode=False, url_safe=False):
    if not decode:
        raw = text.encode("utf-8")
        made = base64.urlsafe_b64encode(raw).rstrip(b"=") if url_safe else base64.b64encode(raw)
        return {"text": made.decode("ascii"), "bytes": len(raw), "is_text": True}
    raw = decoded(text, url_safe)
    try:
        return {"text": raw.decode("utf-8"), "bytes": len(raw), "is_text": True}
    except UnicodeDecodeError:
        return {"text": raw.hex(" "), "bytes": len(raw), "is_text": False}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
