// What may come next on a command line. The scripts of the shells ask for it.
import { optionsOf } from '../command/arguments.js';
import { type Command, commonOptions, type Option } from '../command/command.js';
import type { HelpEntry } from '../command/help.js';
import { nextOperands, parseUsage } from './operands.js';

export interface CompletionWord {
  readonly text: string;
  /** What it is, for shells that show it. */
  readonly about?: string;
}

export interface Completion {
  /** Paths that the shell completes itself. */
  readonly paths: 'none' | 'files' | 'folders';
  readonly candidates: readonly CompletionWord[];
}

/** What the completion may look up. */
export interface CompletionSources {
  readonly commands: readonly HelpEntry[];
  loadCommand(name: string): Promise<Command | undefined>;
  /** Candidates for a placeholder such as `PACKAGE`; `paths`: where to look for packages. */
  lookUp(placeholder: string, paths: readonly string[]): Promise<readonly CompletionWord[]>;
}

const nothing: Completion = { paths: 'none', candidates: [] };
const folders = ['DIR', 'FOLDER'];
const files = ['FILE', 'PATH'];

/** `argv`: without the program, up to the cursor; the last one is the word to complete and may be empty. */
export async function complete(argv: readonly string[], sources: CompletionSources): Promise<Completion> {
  const before = argv.slice(0, -1);
  const typed = argv.at(-1) ?? '';
  const line = readLine(before, commonOptions);
  const name = line.operands[0] === 'ext' ? line.operands[1] : line.operands[0];
  const command = name === undefined ? undefined : await sources.loadCommand(name === 'help' ? '' : name);
  const options = command === undefined ? commonOptions : optionsOf(command);
  const { operands, open } = command === undefined ? line : readLine(before, options);
  const inline = /^(--[a-z-]+=)(.*)$/s.exec(typed);
  const assigned = open ?? options.find((it) => inline?.[1] === `--${it.name}=`);
  if (assigned !== undefined) {
    const values = await optionValues(assigned, operands, before, sources);
    return filtered(values, inline?.[2] ?? typed, open === undefined ? (inline?.[1] ?? '') : '');
  }
  if (before.includes('--')) return { paths: 'files', candidates: [] };
  if (typed.startsWith('-')) return filtered({ paths: 'none', candidates: optionNames(options) }, typed);
  if (name === undefined || name === 'help')
    return filtered({ paths: 'none', candidates: commandNames(sources, name === 'help') }, typed);
  if (command === undefined) return nothing;
  const given = operands.slice(operands[0] === 'ext' ? 2 : 1);
  return filtered(await operandValues(command, given, before, sources), typed);
}

function commandNames({ commands }: CompletionSources, isTopic: boolean): CompletionWord[] {
  const names = commands.map(({ name, summary }) => ({ text: name, about: summary }));
  return isTopic
    ? [...names, { text: 'exit-codes', about: 'what the exit codes mean' }]
    : [...names, { text: 'help', about: 'show help' }];
}

function optionNames(options: readonly Option[]): CompletionWord[] {
  return options.map(({ name, text }) => ({ text: `--${name}`, about: text }));
}

/** The operands so far, and the option whose value comes next. */
function readLine(
  argv: readonly string[],
  options: readonly Option[],
): { operands: readonly string[]; open: Option | undefined } {
  const operands: string[] = [];
  let open: Option | undefined;
  for (const word of argv) {
    if (open !== undefined) {
      open = undefined;
      continue;
    }
    if (word === '--') continue;
    if (word.startsWith('-') && word !== '-')
      open = options.find(
        (it) => it.value !== undefined && (word === `--${it.name}` || word === `-${it.short}`),
      );
    else operands.push(word);
  }
  return { operands, open };
}

async function optionValues(
  { value = '', choices = [] }: Option,
  operands: readonly string[],
  before: readonly string[],
  sources: CompletionSources,
): Promise<Completion> {
  const placeholders = value.split('|');
  const found = await Promise.all(
    placeholders.map((it) => sources.lookUp(it, searchPaths(before, operands))),
  );
  return {
    paths: pathsFor(placeholders),
    candidates: [...choices.map((text) => ({ text })), ...found.flat()],
  };
}

async function operandValues(
  command: Command,
  given: readonly string[],
  before: readonly string[],
  sources: CompletionSources,
): Promise<Completion> {
  const next = nextOperands(parseUsage(command.usage, optionsOf(command)), given);
  const placeholders = [...new Set(next.flatMap((it) => it.placeholders))];
  const found = await Promise.all(placeholders.map((it) => sources.lookUp(it, searchPaths(before, given))));
  return {
    paths: pathsFor(placeholders),
    candidates: [...next.flatMap((it) => it.literals).map((text) => ({ text })), ...found.flat()],
  };
}

function pathsFor(placeholders: readonly string[]): Completion['paths'] {
  if (placeholders.some((it) => files.includes(it))) return 'files';
  return placeholders.some((it) => folders.includes(it)) ? 'folders' : 'none';
}

/** The folders after --dir, and operands that are paths. */
function searchPaths(before: readonly string[], operands: readonly string[]): readonly string[] {
  const named = before.flatMap((word, index) =>
    word === '--dir' ? [before[index + 1] ?? ''] : word.startsWith('--dir=') ? [word.slice(6)] : [],
  );
  return [...named, ...operands.filter((it) => it.includes('/') && !/^[\w.-]+\/[\w.-]+$/.test(it))].filter(
    (it) => it !== '',
  );
}

/** Only what starts with the typed text and needs no quotes in any shell: names come from manifests of strangers. */
function filtered({ paths, candidates }: Completion, typed: string, prefix = ''): Completion {
  const kept = candidates.filter(({ text }) => text.startsWith(typed) && /^[\w@%+./:,-]+$/.test(text));
  const unique = new Map(kept.map((it) => [it.text, it]));
  return { paths, candidates: [...unique.values()].map((it) => ({ ...it, text: `${prefix}${it.text}` })) };
}
