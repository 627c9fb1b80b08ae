import type { ReportedSet, SetBinding, ToolSet, ToolSetEntry, ToolView } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { visibleLine } from './visible.js';

/** Exactly what `set save --from` reads. */
export function setDocument({ name, set }: ToolSetEntry) {
  if (set === null)
    throw new HostError('integrity', `the stored set ${name} cannot be read`, {
      hint: `save it again from a copy: toolwharf set save ${name} --from FILE`,
    });
  return { schema: 'toolwharf/set@1', ...set };
}

export function setsDocument(entries: readonly ToolSetEntry[]) {
  const sets = entries.map(({ savedAt, ...it }) => ({ ...it, savedAt: new Date(savedAt).toISOString() }));
  return { schema: 'toolwharf/sets@1', sets };
}

/** Why a list has only some packages and tools. */
export function reportedSetLine({ name, source, readable }: ReportedSet): string {
  if (!readable) return `the set ${name} is missing or cannot be read, so nothing is shown`;
  const why = {
    binding: 'it is bound to the caller',
    session: 'as requested',
    workspace: 'it is loaded in this folder',
    everyone: 'it is loaded for everyone',
  };
  return `only what the set ${name} shows: ${why[source]}`;
}

/** What a set does, in one line. */
export function printSetLine(set: ToolSet | null): string {
  if (set === null) return 'it cannot be read, so it shows nothing';
  const { packages, only, tools } = set;
  const views = Object.values(tools);
  const count = (what: string, has: (view: ToolView) => boolean) => {
    const number = views.filter(has).length;
    return number === 0 ? [] : [`${number} ${what}`];
  };
  const parts = [
    ...(packages === undefined ? [] : [`packages ${packages.join(', ') || 'none'}`]),
    ...(only === undefined ? [] : [`only ${only.join(', ') || 'nothing'}`]),
    ...count('hidden', (it) => it.hidden === true),
    ...count('renamed', (it) => it.name !== undefined),
    ...count('described', (it) => it.description !== undefined),
    ...count('with fixed arguments', (it) => it.arguments !== undefined),
  ];
  return parts.length === 0 ? 'it shows everything' : parts.join('; ');
}

export function printSet({ name, set, bindings }: ToolSetEntry): string {
  const used = bindings.length === 0 ? 'nobody uses it' : `for ${bindings.map(bindingText).join(', ')}`;
  const lines = Object.entries(set?.tools ?? {}).map(([tool, view]) => `${tool}  ${viewText(view)}`);
  const all = [`${name}  ${printSetLine(set)}; ${used}`, ...lines.map((it) => `  ${it}`)];
  return all.map((it) => `${visibleLine(it)}\n`).join('');
}

function viewText({ hidden, name, description, arguments: fixed }: ToolView): string {
  return [
    ...(hidden === undefined ? [] : [hidden ? 'hidden' : 'shown']),
    ...(name === undefined ? [] : [`named ${name}`]),
    ...(description === undefined ? [] : [`described as ${JSON.stringify(description)}`]),
    ...Object.entries(fixed ?? {}).map(([input, value]) => `${input} is ${JSON.stringify(value)}`),
  ].join(', ');
}

function bindingText({ kind, name }: SetBinding): string {
  return kind === 'everyone' ? 'everyone else' : `${kind} ${name}`;
}
