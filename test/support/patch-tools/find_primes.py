# ---
# name: find_primes
# version: "0.1.0"
# description: The prime numbers up to a bound.
# inputs:
#   - name: bound
#     type: integer
#     description: The largest number to look at.
#   - name: verbose
#     type: boolean
#     description: Say how the work goes on.
#     required: false
#     default: false
# outputs:
#   type: array
#   items: {type: integer}
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
# Prints its progress where the result goes, as many first versions do.
import json
import sys
from math import isqrt


def main(bound, verbose=False):
    if bound > 1_000_000:
        raise ValueError("the bound is a million")
    sieve = bytearray([1]) * (bound + 1)
    sieve[:2] = b"\0" * min(2, bound + 1)
    for n in range(2, isqrt(max(bound, 0)) + 1):
        if sieve[n]:
            if verbose:
                print(f"crossing out multiples of {n}")
            sieve[n * n :: n] = bytes(len(range(n * n, bound + 1, n)))
    if verbose:
        print("done:", sum(sieve), "primes")
    return [n for n, prime in enumerate(sieve) if prime]


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
