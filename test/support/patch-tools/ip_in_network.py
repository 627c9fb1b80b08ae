# ---
# name: ip_in_network
# version: "1.0.0"
# description: Whether an IP address lies in one of the networks given.
# inputs:
#   - name: address
#     type: string
#     description: An IPv4 or IPv6 address.
#     tainted_ok: true
#   - name: networks
#     type: array
#     items: {type: string}
#     description: Networks such as 10.0.0.0/8 or 2001:db8::/32.
# outputs:
#   type: boolean
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import ipaddress
import json
import sys


def main(address: str, networks: list) -> bool:
    one = ipaddress.ip_address(address)
    # An IPv4 address in the clothes of IPv6 is still that address.
    mapped = getattr(one, "ipv4_mapped", None)
    if mapped is not None:
        one = mapped
    return any(one in ipaddress.ip_network(it, strict=False) for it in networks)


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
