import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { InputRole, ResultKind, TaintEffect, TaintLevel, ToolLabels } from './tool-labels.js';

/** The labels of a file, by the name of the tool, or what is wrong with it. */
export interface LabelFile {
  readonly tools: ReadonlyMap<string, ToolLabels>;
  /** Empty if the file can be used. */
  readonly problems: readonly string[];
}

const roles: readonly string[] = [
  'destination',
  'identifier',
  'control',
  'content',
  'query',
  'handle',
] satisfies InputRole[];
const effectNames: readonly string[] = ['read', 'write', 'destructive', 'send'] satisfies TaintEffect[];
const results: readonly string[] = ['third-party', 'own', 'status'] satisfies ResultKind[];
const levels: readonly string[] = ['visit', 'message', 'pay'] satisfies TaintLevel[];
const members = [
  'effects',
  'network',
  'inputs',
  'enums',
  'returns',
  'level',
  'trusted',
  'pure',
  'draft',
  'confirms',
  'protected_paths',
];

/** For the people who review the file. */
const note = /^(?:reason|judge?ment|suites)$/;

/** Reads `{ "tools": { NAME: { effects, network, inputs, returns, … } } }`. An unknown value is a problem, never a default. */
export function readToolLabels(document: Json): LabelFile {
  if (!isObject(document) || !isObject(document.tools))
    return { tools: new Map(), problems: ['/tools: expected an object'] };
  const problems: string[] = [];
  const tools = new Map<string, ToolLabels>();
  for (const [name, entry] of Object.entries(document.tools)) {
    const say = (member: string, text: string) => problems.push(`/tools/${name}/${member}: ${text}`);
    if (isObject(entry)) tools.set(name, readEntry(entry, say));
    else say('', 'expected an object');
  }
  return { tools, problems };
}

function readEntry(entry: JsonObject, say: (member: string, text: string) => void): ToolLabels {
  for (const key of Object.keys(entry))
    if (!members.includes(key) && !note.test(key)) say(key, `not known; use ${members.join(', ')}`);
  const effects = new Set<TaintEffect>();
  if (!Array.isArray(entry.effects)) say('effects', 'expected a list');
  else
    for (const it of entry.effects) {
      if (typeof it === 'string' && effectNames.includes(it)) effects.add(it as TaintEffect);
      else say('effects', `expected ${effectNames.join(', ')}`);
    }
  const inputs = new Map<string, InputRole>();
  if (isObject(entry.inputs))
    for (const [name, role] of Object.entries(entry.inputs)) {
      if (typeof role === 'string' && roles.includes(role)) inputs.set(name, role as InputRole);
      else say(`inputs/${name}`, `expected ${roles.join(', ')}`);
    }
  else if (entry.inputs !== undefined) say('inputs', 'expected an object');
  const flag = (key: string, absent: boolean) => {
    const value = entry[key];
    if (value !== undefined && typeof value !== 'boolean') say(key, 'expected true or false');
    return typeof value === 'boolean' ? value : absent;
  };
  const choice = (key: string, values: readonly string[]) => {
    const value = entry[key];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && values.includes(value)) return value;
    say(key, `expected ${values.join(', ')}`);
    return undefined;
  };
  const names = (key: string): readonly string[] => {
    const value = entry[key] ?? [];
    if (Array.isArray(value) && value.every((it) => typeof it === 'string' && it !== ''))
      return value as readonly string[];
    say(key, 'expected a list of names');
    return [];
  };
  const level = choice('level', levels) as TaintLevel | undefined;
  const confirms = entry.confirms === undefined ? undefined : flag('confirms', false);
  return {
    effects,
    network: flag('network', true),
    inputs,
    enums: new Set(names('enums')),
    result: (choice('returns', results) ?? 'third-party') as ResultKind,
    trustedResult: flag('trusted', false),
    pure: flag('pure', false),
    ...(level === undefined ? {} : { level }),
    draft: flag('draft', false),
    ...(confirms === undefined ? {} : { confirms }),
    protectedPaths: names('protected_paths'),
  };
}
