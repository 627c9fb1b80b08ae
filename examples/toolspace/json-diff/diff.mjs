import { equal, isContainer, pointerOf } from './pointer.mjs';

/** The operations that turn one value into the other. */
export function diff(before, after, path = []) {
  if (equal(before, after)) return [];
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ op: 'replace', path: pointerOf(path), value: after }];
  return Array.isArray(before) ? diffLists(before, after, path) : diffObjects(before, after, path);
}

function diffObjects(before, after, path) {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const kept = Object.keys(before).filter((key) => Object.hasOwn(after, key));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  return [
    ...removed.map((key) => ({ op: 'remove', path: pointerOf([...path, key]) })),
    ...kept.flatMap((key) => diff(before[key], after[key], [...path, key])),
    ...added.map((key) => ({ op: 'add', path: pointerOf([...path, key]), value: after[key] })),
  ];
}

/** Entries that are equal at both ends stay; the middle is replaced, removed or added entry by entry. */
function diffLists(before, after, path) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && equal(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && equal(before.at(-1 - end), after.at(-1 - end))) end++;
  const old = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const both = Math.min(old.length, added.length);
  const operations = [];
  for (let at = 0; at < both; at++) operations.push(...diff(old[at], added[at], [...path, start + at]));
  for (let at = old.length - 1; at >= both; at--)
    operations.push({ op: 'remove', path: pointerOf([...path, start + at]) });
  for (let at = both; at < added.length; at++)
    operations.push({ op: 'add', path: pointerOf([...path, start + at]), value: added[at] });
  return operations;
}
