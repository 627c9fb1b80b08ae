import { getNodeValue, type Node } from 'jsonc-parser';
import type { Json } from '../../../model/json.js';
import {
  jsoncErrorAt,
  keyOf,
  memberValue,
  objectMembers,
  parseJsonc,
  removeMember,
  setMember,
} from './jsonc.js';
import { SettingsProblem, type SettingsStep, type SettingsSyntax } from './settings-syntax.js';

/** JSON with comments. */
export const jsonSettings: SettingsSyntax = {
  title: 'JSON',
  find(text, path) {
    const parsed = parseJsonc(text);
    if (!parsed.ok) throw new SettingsProblem(parsed.error.message, parsed.error);
    let node = parsed.root;
    for (const [depth, step] of path.entries()) {
      if (node === undefined) return undefined;
      if (node.type !== 'object') {
        const above = path[depth - 1];
        const what =
          above === undefined ? 'the file is not a JSON object' : `${shown(above)} is not an object`;
        throw problemAt(text, node, what);
      }
      node = only(text, node, memberName(step));
    }
    return node && (getNodeValue(node) as Json);
  },
  set: (text, path, value) => setMember(text, path.map(memberName), value),
  remove: (text, path) => removeMember(text, path.map(memberName)),
};

/** Fails on duplicate keys: programs differ in which one they use, so neither is edited. */
function only(text: string, object: Node, key: string): Node | undefined {
  const [first, second] = objectMembers(object).filter((it) => keyOf(it) === key);
  if (second !== undefined) throw problemAt(text, second, `${JSON.stringify(key)} occurs twice`);
  return first && memberValue(first);
}

function problemAt(text: string, node: Node, message: string): SettingsProblem {
  return new SettingsProblem(message, jsoncErrorAt(text, node.offset, message));
}

function memberName(step: SettingsStep): string {
  if (typeof step === 'string') return step;
  throw new Error('lists of named entries are supported only in YAML');
}

function shown(step: SettingsStep): string {
  return JSON.stringify(memberName(step));
}
