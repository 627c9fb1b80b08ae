import type { Terminal } from '../terminal/terminal.js';

/** A parsed command line. */
export interface Arguments {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

export interface Option {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of its value in the help; absent for a switch. */
  readonly value?: string;
  readonly multiple?: boolean;
  /** How many command-line arguments form its value, if more than one. A quoted value is one argument. */
  readonly valueArgs?: number;
  /** All valid values, if there are few; shells offer them. */
  readonly choices?: readonly string[];
  /** Its value may be left out. The next argument is its value only if it matches this. */
  readonly optionalValue?: RegExp;
  readonly text: string;
}

export interface Example {
  readonly line: string;
  readonly text: string;
}

/** One command of the command line, such as `list`. */
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
  text: 'grant net:HOST[:PORT], read:PATH, write:PATH or env:NAME; prefix PACKAGE= for one package',
};

/** Options that every command accepts. */
export const commonOptions: readonly Option[] = [
  { name: 'json', text: 'print one JSON document' },
  { name: 'state', value: 'DIR', text: 'folder for the database, socket and logs (or TOOLWHARF_HOME)' },
  { name: 'cwd', value: 'DIR', text: 'run as if started in DIR' },
  { name: 'no-input', text: 'never prompt; fail instead' },
  {
    name: 'yes',
    short: 'y',
    text: 'answer yes to questions; never approves held calls or changes of packages',
  },
  {
    name: 'color',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    text: 'auto, always or never (default: auto)',
  },
  { name: 'quiet', short: 'q', text: 'print only results and errors' },
  { name: 'verbose', short: 'v', text: 'print details of failures; with serve, also the output of programs' },
  { name: 'help', short: 'h', text: 'show this help' },
];
