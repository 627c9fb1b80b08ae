"""Finds secrets by their format. Card numbers and IBANs count only if their check digits are correct."""

import re
from typing import Callable, NamedTuple


class Hit(NamedTuple):
    kind: str
    start: int
    end: int


def luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def is_card(text: str) -> bool:
    digits = re.sub(r"[ -]", "", text)
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and luhn(digits)


def is_iban(text: str) -> bool:
    compact = text.replace(" ", "")
    if not 15 <= len(compact) <= 34:
        return False
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


def always_valid(_: str) -> bool:
    return True


KINDS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        "private key",
        re.compile(r"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]{0,8192}?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|\Z)"),
        always_valid,
    ),
    ("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"), always_valid),
    ("GitHub token", re.compile(r"\b(?:gh[opsru]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b"), always_valid),
    ("Slack token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}\b"), always_valid),
    ("Stripe key", re.compile(r"\b[rs]k_live_[A-Za-z0-9]{16,255}\b"), always_valid),
    ("web token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,4096}"), always_valid),
    ("IBAN", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b"), is_iban),
    ("card number", re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])"), is_card),
)


def find(text: str) -> list[Hit]:
    """Hits in text order. If two overlap, the kind that is listed first wins."""
    hits: list[Hit] = []
    for kind, pattern, is_valid in KINDS:
        for match in pattern.finditer(text):
            start, end = match.span()
            taken = any(start < hit.end and hit.start < end for hit in hits)
            if not taken and is_valid(match.group()):
                hits.append(Hit(kind, start, end))
    return sorted(hits, key=lambda hit: hit.start)


def mask(text: str) -> tuple[str, int]:
    hits = find(text)
    pieces: list[str] = []
    at = 0
    for hit in hits:
        pieces += [text[at : hit.start], f"[{hit.kind}]"]
        at = hit.end
    return "".join([*pieces, text[at:]]), len(hits)
