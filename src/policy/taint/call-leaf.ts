import { isObject, type Json, type JsonObject, toPointer } from '../../model/json.js';
import { identifiersIn } from './identifiers.js';
import { readPlace } from './named-place.js';
import { isGivenBy, isMintedBy } from './seen-texts.js';
import type { InputRole, ToolLabels } from './tool-labels.js';
import type { ValueIndex } from './value-index.js';

/** One scalar of the arguments of a call. */
export interface CallLeaf {
  /** Name of the input at the top. */
  readonly input: string;
  readonly pointer: string;
  readonly role: InputRole;
  readonly text: string;
  readonly isNumber: boolean;
  /** A member of an object that has further members. */
  readonly isMember: boolean;
}

/** Longest handle of a package that declares nothing, and the shortest: a shorter text can be a name that others chose. */
const handleLengths = { min: 16, max: 256 };

/**
 * The leaves, after what the package gave out itself was found: it goes back to where it came from. An input that is labeled
 * as a handle takes whatever a result of the package contained. Where nobody declared anything, only a long opaque value
 * counts that was the whole of a field, and that no other text contained.
 */
export function withHandles(
  leaves: readonly CallLeaf[],
  { package: packageId, labels }: { readonly package: string; readonly labels: ToolLabels },
  index: ValueIndex,
): CallLeaf[] {
  return leaves.map((leaf) => {
    if (leaf.role === 'handle')
      return isGivenBy(index, packageId, leaf.text) ? leaf : { ...leaf, role: 'identifier' };
    const isOpen = labels.undeclaredRoles === true && leaf.role === 'destination';
    return isOpen && isOpaque(leaf.text) && isMintedBy(index, packageId, leaf.text)
      ? { ...leaf, role: 'handle' }
      : leaf;
  });
}

/** One word with a digit that names no place, account or path. */
function isOpaque(text: string): boolean {
  const { length } = text;
  if (length < handleLengths.min || length > handleLengths.max) return false;
  if (!/^[\w.:=+/-]+$/.test(text) || !/\d/.test(text) || !/[A-Za-z]/.test(text)) return false;
  return readPlace(text).kind === 'name' && identifiersIn(text).length === 0;
}

/** All texts and numbers of the arguments, keys below an input included. Flags and listed members need no endorsement. */
export function leavesOf(input: JsonObject, labels: ToolLabels): CallLeaf[] {
  const found: CallLeaf[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (labels.enums.has(name)) continue;
    const declared = labels.inputs.get(name) ?? 'destination';
    const isText = labels.undeclaredRoles === true && declared === 'destination' && isLongText(value);
    const role = isText ? 'content' : declared;
    addLeaves(value, [name], { input: name, role, isMember: false }, found);
  }
  return found;
}

function addLeaves(
  value: Json,
  path: (string | number)[],
  of: Pick<CallLeaf, 'input' | 'role' | 'isMember'>,
  found: CallLeaf[],
): void {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.trim() !== '') found.push(leafOf(of, toPointer(path), text, typeof value === 'number'));
  } else if (Array.isArray(value)) {
    for (const [at, it] of value.entries()) addLeaves(it, [...path, at], of, found);
  } else if (isObject(value)) {
    const isMember = Object.keys(value).length > 1;
    for (const [key, it] of Object.entries(value)) {
      // A key of free data can carry text too.
      if (of.role === 'content')
        found.push({ ...of, pointer: toPointer([...path, key]), text: key, isNumber: false, isMember: true });
      addLeaves(it, [...path, key], { ...of, isMember }, found);
    }
  }
}

function leafOf(
  { input, role, isMember }: Pick<CallLeaf, 'input' | 'role' | 'isMember'>,
  pointer: string,
  text: string,
  isNumber: boolean,
): CallLeaf {
  return { input, pointer, role, text, isNumber, isMember };
}

/** Names of people, places and objects are shorter. The addresses in a longer text are looked at one by one. */
function isLongText(value: Json): boolean {
  return (
    typeof value === 'string' && (value.match(/(?<![^\s])\p{L}{2,}(?=[\s.,;:!?]|$)/gu)?.length ?? 0) >= 5
  );
}
