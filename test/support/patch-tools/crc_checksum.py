#!/usr/bin/python3
#
# Checks and packs: how gzip, PNG and zip files protect their parts.
#
# ---
#name: crc_checksum
#version: "0.2.0"
#description: CRC-32 or Adler-32 of a text, as a number.
#inputs:
#  - name: text
#    type: string
#    description: The text; its UTF-8 bytes count.
#    tainted_ok: true
#  - name: kind
#    type: string
#    description: crc32 or adler32.
#    required: false
#    default: crc32
#  - name: swap_bytes
#    type: boolean
#    description: Give the four bytes in reverse order.
#    required: false
#    default: false
#
#outputs:
#  type: integer
#capabilities:
#  network: false
#  filesystem: none
#  human_confirm: false
#runtime:
#  language: python
#  python_version: "3.11.2"
# ---
import json
import struct
import sys
import zlib

KINDS = {"crc32": zlib.crc32, "adler32": zlib.adler32}


def main(text, kind="crc32", swap_bytes=False):
    value = KINDS[kind](text.encode("utf-8")) & 0xFFFFFFFF
    if swap_bytes:
        (value,) = struct.unpack("<I", struct.pack(">I", value))
    return value


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
