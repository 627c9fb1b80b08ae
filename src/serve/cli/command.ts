import type { Arguments } from './arguments.js';
import type { Terminal } from './terminal.js';

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of its value in the help; absent for a switch. */
  readonly value?: string;
  readonly multiple?: boolean;
  /** How many words its value is made of, where that is more than one; in quotes they are one word. */
  readonly words?: number;
  readonly text: string;
}

export interface Example {
  readonly line: string;
  readonly text: string;
}

/** One verb of the command line. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly examples: readonly Example[];
  readonly options: readonly Option[];
  /** Returns the exit code. */
  run(args: Arguments, terminal: Terminal): Promise<number>;
}

/** For commands that open a session. */
export const allowOption: Option = {
  name: 'allow',
  value: 'GRANT',
  multiple: true,
  text: 'grant net:HOST[:PORT], read:PATH, write:PATH or env:NAME; PACKAGE=… for one package',
};

/** Understood by every command. */
export const commonOptions: readonly Option[] = [
  { name: 'json', text: 'print one JSON document' },
  { name: 'state', value: 'DIR', text: 'folder for the database, socket and logs (or TOOLWHARF_HOME)' },
  { name: 'cwd', value: 'DIR', text: 'work as if started there' },
  { name: 'no-input', text: 'never ask; fail instead' },
  {
    name: 'yes',
    short: 'y',
    text: 'go on without asking; never agrees to a held call or a change of a package',
  },
  { name: 'color', value: 'WHEN', text: 'auto, always or never' },
  { name: 'quiet', short: 'q', text: 'print results and errors only' },
  { name: 'verbose', short: 'v', text: 'print details of failures; serve: also what programs print' },
  { name: 'help', short: 'h', text: 'show this help' },
];
