import { resolve } from 'node:path';
import type { DeclaredValue } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { scopesText } from '../print/values.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** Reads one value of a package. */
export interface ValueReader {
  /** How often a person may try; 1 for a script. */
  readonly tries: number;
  /** Name of the value with its package, for messages. */
  readonly subject: string;
  read(): Promise<string>;
}

export interface ValueSource {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly packageId: string;
  readonly slot: string;
  /** Undefined if no package that asks for it was accepted yet. */
  readonly declared: DeclaredValue | undefined;
}

const terminalTries = 3;

/** From a file, a variable, standard input, or a person. */
export function valueReader(source: ValueSource): ValueReader {
  const { args, terminal, slot, packageId } = source;
  const once = (read: () => Promise<string>) => ({ tries: 1, subject: `${slot} of ${packageId}`, read });
  const file = args.value('file');
  if (file !== undefined) return once(async () => fileValue(terminal, file));
  if (args.has('from-env')) return once(async () => variableValue(source));
  if (!terminal.stdinIsTerminal)
    return once(async () => nonEmpty((await terminal.readStdin()).replace(/\r?\n$/, ''), source));
  if (args.has('no-input'))
    throw new HostError('usage', 'no value was given, and --no-input does not allow asking for it', {
      hint: 'pass it on standard input, or with --from-env or --file',
    });
  let isFirst = true;
  return {
    ...once(async () => {
      if (isFirst) explain(source);
      isFirst = false;
      return nonEmpty(await ask(source), source);
    }),
    tries: terminalTries,
  };
}

/** Passes a value to `store`. A person may correct a value that is not valid; a script gets the error at once. */
export async function withTries<T>(
  { tries, subject, read }: ValueReader,
  terminal: Terminal,
  store: (value: string) => Promise<T>,
): Promise<T> {
  for (let left = tries - 1; ; left--) {
    try {
      return await store(await read());
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== 'invalid_input' || tries === 1) throw error;
      terminal.err(`${visibleLine(error.message)}\n`);
      if (left > 0) continue;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      throw new HostError('needs_setup', `${subject} is not set: none of ${tries} values was valid`, hint);
    }
  }
}

/** What the manifest says about the value, for the person who types it. */
function explain({ declared, terminal }: ValueSource): void {
  if (declared === undefined) return;
  const { prompt, label, slot, obtainUrl, choices, providerScopes } = declared;
  const text = prompt === '' && label !== slot ? label : prompt;
  const lines = [
    text,
    ...(obtainUrl === '' ? [] : [`Get it at ${obtainUrl}`]),
    ...(choices.length === 0 || choices.length > 20 ? [] : [`One of ${choices.join(', ')}`]),
    scopesText(providerScopes).replace(/^n/, 'N'),
  ].filter((it) => it !== '');
  for (const line of lines) terminal.err(`${visibleLine(line)}\n`);
}

function ask({ declared, terminal, packageId, slot }: ValueSource): Promise<string> {
  const question = visibleLine(`${slot} for ${packageId}`);
  if (declared !== undefined && !declared.masked) return terminal.ask(`${question}: `);
  return terminal.readSecret(`${question} (not shown): `);
}

function nonEmpty(value: string, { packageId, slot }: ValueSource): string {
  if (value !== '') return value;
  throw new HostError('usage', `the value for ${slot} is empty`, {
    hint: `to delete the value, run: toolwharf secret unset ${packageId} ${slot}`,
  });
}

/** The line break that editors add at the end is not part of the value. */
function fileValue(terminal: Terminal, path: string): string {
  const text = terminal.readFile(resolve(terminal.cwd, path))?.replace(/\r?\n$/, '');
  if (text === undefined || text === '')
    throw new HostError('usage', `${path} is ${text === '' ? 'empty' : 'not a readable file'}`, {
      hint: 'name a text file that contains only the value',
    });
  return text;
}

/** Reads a variable of the caller, not of the host, which may run elsewhere. */
function variableValue({ args, terminal, slot }: ValueSource): string {
  const given = args.value('from-env') ?? '';
  // The name could be the value in the wrong place, so a strange one is not repeated.
  if (given !== '' && !/^[A-Za-z_]\w{0,127}$/.test(given))
    throw new HostError('usage', '--from-env takes the name of a variable, not its value', {
      hint: 'such as --from-env=API_KEY; if it was a real value, replace it',
    });
  const name = given === '' ? slot : given;
  const value = terminal.environment[name];
  if (value === undefined || value === '')
    throw new HostError('usage', `the variable ${name} is ${value === '' ? 'empty' : 'not set'}`, {
      hint: 'export it first, or name another one with --from-env=VARIABLE',
    });
  return value;
}
