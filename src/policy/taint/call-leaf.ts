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
  /** Nobody said that it is content: it only looks like a sentence. */
  readonly isGuessed?: boolean;
}

/** No name of a person, a company or a place is longer. */
const longestName = 300;

/**
 * The leaves, after guesses were checked. A text that others wrote, and that is short enough to be a name, can be the name of
 * somebody who gets money: it is content only if no result contained it. So can any such text where nothing else says to whom
 * an amount goes.
 */
export function withCheckedGuesses(leaves: readonly CallLeaf[], index: ValueIndex): readonly CallLeaf[] {
  const guesses = leaves.filter((it) => it.isGuessed === true && it.text.length <= longestName);
  if (guesses.length === 0) return leaves;
  const hasAmount = leaves.some((it) => it.role === 'control' || isAmount(it));
  const hasPlace = leaves.some((it) => it.role === 'destination' && !isAmount(it));
  const isOpen = hasAmount && !hasPlace;
  return leaves.map(
    (it): CallLeaf =>
      guesses.includes(it) && (isOpen || index.find(it.text) !== undefined)
        ? { ...it, role: 'destination' }
        : it,
  );
}

/** A number, also as a text. */
export function isAmount({ isNumber, text }: Pick<CallLeaf, 'isNumber' | 'text'>): boolean {
  return isNumber || /^[$€£]?\d+(?:[.,]\d+)*$/.test(text.trim());
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
  // Accounts are found in any case here: a handle that looks like one needs a question.
  return readPlace(text).kind === 'name' && identifiersIn(`${text} ${text.toUpperCase()}`).length === 0;
}

/**
 * All texts and numbers of the arguments, and all keys that the schema does not declare. Flags and listed members need no
 * endorsement.
 */
export function leavesOf(input: JsonObject, labels: ToolLabels): CallLeaf[] {
  const found: CallLeaf[] = [];
  const { inputs, enums, keys } = labels;
  for (const [name, value] of Object.entries(input)) {
    if (enums.has(name)) continue;
    const declared = inputs.get(name) ?? 'destination';
    const isGuessed = labels.undeclaredRoles === true && declared === 'destination' && isLongText(value);
    const of = {
      input: name,
      role: isGuessed ? 'content' : declared,
      isMember: false,
      ...(isGuessed ? { isGuessed } : {}),
    } as const;
    if (keys !== undefined && !keys.has(name) && !inputs.has(name))
      found.push(leafOf(of, toPointer([name]), name, false));
    addLeaves(value, [name], of, { found, keys, isReviewed: labels.undeclaredRoles !== true });
  }
  return found;
}

type LeafOrigin = Pick<CallLeaf, 'input' | 'role' | 'isMember' | 'isGuessed'>;

function addLeaves(
  value: Json,
  path: (string | number)[],
  of: LeafOrigin,
  to: KeyRules & { readonly found: CallLeaf[] },
): void {
  const { found } = to;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.trim() !== '') found.push(leafOf(of, toPointer(path), text, typeof value === 'number'));
  } else if (Array.isArray(value)) {
    for (const [at, it] of value.entries()) addLeaves(it, [...path, at], of, to);
  } else if (isObject(value)) {
    const isMember = Object.keys(value).length > 1;
    for (const [key, it] of Object.entries(value)) {
      // A key that the caller chose can name an account too.
      if (of.role === 'content' || isChosenKey(key, of, to))
        found.push(leafOf({ ...of, isMember: false }, toPointer([...path, key]), key, false));
      addLeaves(it, [...path, key], { ...of, isMember }, to);
    }
  }
}

interface KeyRules {
  readonly keys: ReadonlySet<string> | undefined;
  /** Somebody said what the inputs decide. */
  readonly isReviewed: boolean;
}

/** Whether a key is a value of the caller. In what names no receiver, a plain word is taken for the name of a member. */
function isChosenKey(key: string, { role }: LeafOrigin, { keys, isReviewed }: KeyRules): boolean {
  if (keys?.has(key) === true) return false;
  return role === 'destination' || !isReviewed || !/^[a-z][a-z_]{0,20}$/.test(key);
}

function leafOf(
  { input, role, isMember, isGuessed }: LeafOrigin,
  pointer: string,
  text: string,
  isNumber: boolean,
): CallLeaf {
  const leaf = { input, pointer, role, text, isNumber, isMember };
  return isGuessed === true ? { ...leaf, isGuessed } : leaf;
}

/** Names of people, places and objects are shorter. The addresses in a longer text are looked at one by one. */
function isLongText(value: Json): boolean {
  return (
    typeof value === 'string' && (value.match(/(?<![^\s])\p{L}{2,}(?=[\s.,;:!?]|$)/gu)?.length ?? 0) >= 5
  );
}
