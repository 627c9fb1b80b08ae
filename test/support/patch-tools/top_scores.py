# ---
# name: top_scores
# version: "1.0.0"
# description: The best of a list of scored names, with shared places.
# inputs:
#   - name: scores
#     type: object
#     description: A number for each name.
#     tainted_ok: true
#   - name: places
#     type: integer
#     description: How many places to give.
#     required: false
#     default: 3
#   - name: lowest_wins
#     type: boolean
#     description: Whether a small number is good, as in a race.
#     required: false
#     default: false
# outputs:
#   type: array
#   items:
#     type: object
#     required: [place, name, score]
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
# ---
import heapq
import itertools
import json
import sys
from operator import itemgetter


def main(scores, places=3, lowest_wins=False):
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)):
            raise TypeError(f"the score of {name} is not a number")
    sign = 1 if lowest_wins else -1
    heap = [(sign * score, name) for name, score in scores.items()]
    heapq.heapify(heap)
    ordered = (heapq.heappop(heap) for _ in range(len(heap)))
    table, place = [], 1
    for value, tied in itertools.groupby(ordered, key=itemgetter(0)):
        if place > places:
            break
        names = [name for _, name in tied]
        table.extend({"place": place, "name": name, "score": sign * value} for name in names)
        place += len(names)
    return table


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
