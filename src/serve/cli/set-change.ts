import { resolve } from 'node:path';
import { parseJson } from '../../formats/document/json.js';
import type { ToolSet, ToolView } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { documentLimits, parseBounded } from '../../model/json-bounds.js';
import type { Arguments, Option } from './command/command.js';
import { readLocalText } from './terminal/local-files.js';
import type { Terminal } from './terminal/terminal.js';

/** In bytes. A set is smaller. */
const maxFile = 1024 * 1024;

/** Options of `set save` that change a set. */
export const setChangeOptions: readonly Option[] = [
  {
    name: 'from',
    value: 'FILE',
    text: 'start from this file, as "set list NAME --json" prints it; - reads input',
  },
  {
    name: 'package',
    value: 'PACKAGE',
    multiple: true,
    text: 'show only these packages; * matches any characters',
  },
  {
    name: 'only',
    value: 'PACKAGE/TOOL',
    multiple: true,
    text: 'show only these tools; PACKAGE for all of a package',
  },
  { name: 'hide', value: 'PACKAGE/TOOL', multiple: true, text: 'hide a tool; PACKAGE/* for a whole package' },
  { name: 'rename', value: 'TOOL=NAME', multiple: true, text: 'show a tool under this name' },
  { name: 'describe', value: 'TOOL=TEXT', multiple: true, text: 'show this description to models' },
  {
    name: 'fix',
    value: 'TOOL:INPUT=JSON',
    multiple: true,
    text: 'give this argument to every call; callers do not see it',
  },
  { name: 'reset', value: 'PACKAGE/TOOL', multiple: true, text: 'forget what the set changes about a tool' },
];

/** Whether the command line changes anything. */
export function hasSetChange(args: Arguments): boolean {
  return setChangeOptions.some((it) => args.has(it.name));
}

/** The text of a file, or standard input for `-`. */
export async function setFileText(file: string, terminal: Terminal): Promise<string> {
  if (file === '-') return terminal.readStdin(maxFile);
  const text = readLocalText(resolve(terminal.cwd, file));
  if (text !== undefined) return text;
  throw new HostError('not_found', `no file that can be read: ${file}`, {
    hint: 'check the path after --from',
  });
}

/** A set in a file. Its name is replaced by the one on the command line. */
export function setInFile(text: string, name: string, file: string): ToolSet {
  let value: Json;
  try {
    value = parseBounded(text, documentLimits);
  } catch (cause) {
    throw new HostError('invalid_input', `${file} is not JSON`, { cause });
  }
  // With duplicate keys, a person may read one value and the program use the other.
  const twice = parseJson(text).problems.find((it) => it.code === 'syntax.duplicate-key');
  if (twice !== undefined)
    throw new HostError('invalid_input', `${file} has a duplicate key: ${twice.message}`);
  if (!isObject(value) || !isObject(value.tools))
    throw new HostError('invalid_input', `${file} is not a set`, {
      hint: 'write one with: toolwharf set list NAME --json',
    });
  const { schema, ...set } = value;
  if (schema !== undefined && schema !== 'toolwharf/set@1')
    throw new HostError('invalid_input', `${file} is not a set, but ${JSON.stringify(schema)}`, {
      hint: 'write one with: toolwharf set list NAME --json',
    });
  return { ...(set as unknown as ToolSet), name };
}

/** The set with the changes of the command line. */
export function changedSet(set: ToolSet, args: Arguments): ToolSet {
  const tools = new Map(Object.entries(set.tools));
  const change = (tool: string, view: ToolView) => tools.set(tool, { ...tools.get(tool), ...view });
  for (const tool of args.values('reset')) tools.delete(tool);
  for (const tool of args.values('hide')) change(tool, { hidden: true });
  for (const it of args.values('rename')) {
    const at = it.lastIndexOf('=');
    change(it.slice(0, partEnd(at, it, 'rename')), { name: it.slice(at + 1) });
  }
  for (const it of args.values('describe')) {
    const at = it.indexOf('=');
    change(it.slice(0, partEnd(at, it, 'describe')), { description: it.slice(at + 1) });
  }
  for (const it of args.values('fix')) {
    const { tool, input, value } = fixedInput(it);
    change(tool, { arguments: { ...tools.get(tool)?.arguments, [input]: value } });
  }
  const only = args.values('only');
  const packages = args.values('package');
  return {
    ...set,
    ...(packages.length === 0 ? {} : { packages }),
    ...(only.length === 0 ? {} : { only }),
    tools: Object.fromEntries(tools),
  };
}

function partEnd(at: number, written: string, option: string): number {
  if (at > 0) return at;
  const { value = '' } = setChangeOptions.find((it) => it.name === option) ?? {};
  throw new HostError('usage', `--${option} ${JSON.stringify(written)} is not written as ${value}`);
}

function fixedInput(written: string): {
  readonly tool: string;
  readonly input: string;
  readonly value: Json;
} {
  const [, tool, input, text] = /^([^=:]+\/[^=:]+):([^=]+)=(.*)$/s.exec(written) ?? [];
  if (tool === undefined || input === undefined || text === undefined)
    throw new HostError('usage', `--fix ${JSON.stringify(written)} is not written as TOOL:INPUT=JSON`, {
      hint: `for example: --fix 'notes/add:folder="inbox"'`,
    });
  try {
    return { tool, input, value: parseBounded(text, documentLimits) };
  } catch (cause) {
    throw new HostError('usage', `the value of --fix ${JSON.stringify(written)} is not JSON`, {
      cause,
      hint: `write a text with quotes: --fix '${tool}:${input}=${JSON.stringify(text)}'`,
    });
  }
}
