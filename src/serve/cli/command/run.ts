import { resolve } from 'node:path';
import { asHostError, HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { visible } from '../../print/visible.js';
import { commandName, withCommandName } from '../command-name.js';
import { lookingTerminal } from '../looking-terminal.js';
import type { Terminal } from '../terminal/terminal.js';
import { parseArguments } from './arguments.js';
import type { Arguments } from './command.js';
import { commandFirst } from './command-first.js';
import { suggestCommand } from './command-suggestion.js';
import { commands } from './commands.js';
import { commandHelp, exitCodes, mainHelp, printExitCodes } from './help.js';
import { helpDocument } from './help-document.js';

/** Runs one command line and returns its exit code. Never throws. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  const verbose = argv.includes('-v') || argv.includes('--verbose');
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    return report(error, terminal, wantsJson(argv), verbose);
  }
}

async function dispatch(commandLine: readonly string[], terminal: Terminal): Promise<number> {
  const { verb, rest } = commandFirst(commandLine);
  if (verb === undefined || verb === '--help' || verb === '-h' || verb === 'help') {
    return help(rest, terminal, verb === undefined ? 2 : 0);
  }
  if (verb === '--version' || verb === '-V') return printVersion(rest, terminal);
  // `ext validate` is another name of `validate`.
  const at = verb === 'ext' ? rest.findIndex((it) => !it.startsWith('-')) : -1;
  const name = verb === 'ext' ? (rest[at] ?? '') : verb;
  const argv = rest.filter((_, index) => index !== at);
  const { command, effect, json } = await loadCommand(name, terminal);
  if (optionsIn(argv).some((it) => it === '--help' || it === '-h')) {
    outputHelp(argv, terminal, helpDocument.command(command), commandHelp(command, terminal.columns));
    return 0;
  }
  const args = parseArguments(command, argv);
  if (args.has('json') && 'none' in json)
    throw new HostError('usage', `${name} has no --json: ${json.none}`, {
      hint: `see "toolwharf ${name} --help"`,
    });
  const color = args.value('color');
  if (color !== undefined && !['auto', 'always', 'never'].includes(color)) {
    throw new HostError('usage', `unknown value for --color: ${JSON.stringify(color)}`, {
      hint: 'use auto, always or never',
    });
  }
  const reads = effect === 'reads' || args.has('dry-run');
  const named = withNamedCommands(terminal, forPeople.has(command.name) && !args.has('json'));
  return command.run(args, withCwd(reads ? lookingTerminal(named) : named, args));
}

/** Commands whose standard output is for people, with the next steps. The output of others may be data. */
const forPeople = new Set([
  ...[
    'add',
    'approvals',
    'connect',
    'disable',
    'doctor',
    'enable',
    'import',
    'info',
    'init',
    'install',
    'kill',
  ],
  ...['learn', 'list', 'pin', 'plan', 'policy', 'quarantine', 'remove', 'requests', 'review', 'revoke'],
  ...['rollback', 'secret', 'serve', 'session', 'set', 'sign-in', 'sign-out', 'update', 'verify', 'why'],
]);

/** Messages name the command as this person can start it. */
function withNamedCommands(terminal: Terminal, output: boolean): Terminal {
  const name = commandName(terminal.main, terminal.environment);
  if (name === 'toolwharf') return terminal;
  return {
    ...terminal,
    err: (text) => terminal.err(withCommandName(text, name)),
    out: output
      ? (text) => terminal.out(typeof text === 'string' ? withCommandName(text, name) : text)
      : terminal.out,
  };
}

function withCwd(terminal: Terminal, args: Arguments): Terminal {
  const cwd = args.value('cwd');
  if (cwd === undefined) return terminal;
  const folder = resolve(terminal.cwd, cwd);
  if (!terminal.isFolder(folder))
    throw new HostError('not_found', `no such folder: ${folder}`, { hint: 'check the path after --cwd' });
  return { ...terminal, cwd: folder };
}

async function loadCommand(name: string, { loadFormats }: Terminal) {
  const entry = commands.find((it) => it.name === name);
  if (entry !== undefined)
    return { command: await entry.load(loadFormats), effect: entry.effect, json: entry.json };
  const meant = suggestCommand(
    name,
    commands.filter((it) => !it.hidden).map((it) => it.name),
  );
  const hint = meant === undefined ? 'see "toolwharf --help"' : `did you mean "toolwharf ${meant}"?`;
  throw new HostError('usage', `unknown command ${JSON.stringify(name)}`, { hint });
}

async function help(argv: readonly string[], terminal: Terminal, exit: number): Promise<number> {
  const topic = argv.find((it) => !it.startsWith('-'));
  const { columns } = terminal;
  if (topic === 'exit-codes')
    outputHelp(argv, terminal, helpDocument.exitCodes(exitCodes), printExitCodes(columns));
  else if (topic !== undefined) {
    const { command } = await loadCommand(topic, terminal);
    outputHelp(argv, terminal, helpDocument.command(command), commandHelp(command, columns));
  } else {
    const shown = commands.filter((it) => !it.hidden);
    if (exit === 0) outputHelp(argv, terminal, helpDocument.commands(shown), mainHelp(shown, columns));
    else if (wantsJson(argv))
      throw new HostError('usage', 'name a command', { hint: 'see "toolwharf --help"' });
    else terminal.err(mainHelp(shown, columns));
  }
  return exit;
}

function outputHelp(argv: readonly string[], terminal: Terminal, document: object, text: string): void {
  terminal.out(wantsJson(argv) ? `${JSON.stringify(document)}\n` : text);
}

function printVersion(argv: readonly string[], terminal: Terminal): number {
  const { version } = terminal;
  const document = { schema: 'toolwharf/version@1', version };
  terminal.out(wantsJson(argv) ? `${JSON.stringify(document)}\n` : `${version}\n`);
  return 0;
}

/** What comes after `--` is never an option. */
function optionsIn(argv: readonly string[]): readonly string[] {
  return argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
}

/** Before the arguments are parsed, because errors in them are reported as JSON too. */
function wantsJson(argv: readonly string[]): boolean {
  return /(?:^|\n)--(?:json|format[\n=]json)(?:\n|$)/.test(optionsIn(argv).join('\n'));
}

function report(error: unknown, terminal: Terminal, json: boolean, verbose: boolean): number {
  const hostError = asHostError(error);
  const name = commandName(terminal.main, terminal.environment);
  const { code } = hostError;
  const message = withCommandName(hostError.message, name);
  const hint = hostError.hint === undefined ? undefined : withCommandName(hostError.hint, name);
  if (json) {
    const docs = 'docs/errors.md';
    terminal.out(
      `${JSON.stringify({ error: { code, message, ...(hint === undefined ? {} : { hint }), docs: `${docs}#${code}` } })}\n`,
    );
  } else {
    terminal.err(`error: ${visible(message)}\n${hint === undefined ? '' : `  ${visible(hint)}\n`}`);
  }
  if (verbose && hostError.cause !== undefined) terminal.err(`${details(hostError.cause)}\n`);
  return errorTable[code].exit;
}

function details(cause: unknown): string {
  return visible(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
}
