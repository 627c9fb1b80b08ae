import { userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { type Arguments, type Command, commonOptions, type Option } from './command.js';

/** `--format json` means `--json` for every command. Commands with more formats define their own --format. */
export const formatOption: Option = {
  name: 'format',
  value: 'FORMAT',
  choices: ['text', 'json'],
  text: 'text or json',
};

export function parseArguments(command: Command, commandLine: readonly string[]): Arguments {
  const ownFormat = command.options.some((it) => it.name === 'format');
  const known = optionsOf(command);
  const argv = joinValueArgs(commandLine, known);
  const options = Object.fromEntries(
    known.map((it) => [
      it.name,
      {
        type: it.value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true,
        ...(it.short === undefined ? {} : { short: it.short }),
      },
    ]),
  );
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongOption(error, command, known, argv);
  }
  const values = (name: string): readonly string[] => (parsed.values[name] as string[] | undefined) ?? [];
  for (const option of known) {
    if (option.value !== undefined && !option.multiple && values(option.name).length > 1) {
      throw new HostError('usage', `--${option.name} was given more than once`, {
        hint: `see "toolwharf ${command.name} --help"`,
      });
    }
  }
  const format = values('format')[0];
  if (!ownFormat && format !== undefined && format !== 'json' && format !== 'text')
    throw new HostError('usage', `unknown format ${JSON.stringify(format)}`, {
      hint: `${command.name} prints text, or JSON with --json`,
    });
  return {
    positionals: parsed.positionals,
    has: (name) =>
      parsed.values[name] !== undefined || (name === 'json' && values('format').includes('json')),
    value: (name) => values(name)[0],
    values,
  };
}

/** All options of a command. Its own option comes before one of every command with the same name. */
export function optionsOf(command: Pick<Command, 'options'>): readonly Option[] {
  const own = new Set(command.options.map((it) => it.name));
  return [...command.options, ...[...commonOptions, formatOption].filter((it) => !own.has(it.name))];
}

/** Makes `--when path under /x` one value, as if it were quoted, and completes options whose value may be left out. */
function joinValueArgs(argv: readonly string[], known: readonly Option[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string;
    if (word === '--') return [...joined, ...argv.slice(at)];
    const optional = known.find((it) => it.optionalValue !== undefined && word === `--${it.name}`);
    if (optional !== undefined) {
      const hasValue = optional.optionalValue?.test(argv[at + 1] ?? '') === true;
      joined.push(`${word}=${hasValue ? argv[++at] : ''}`);
      continue;
    }
    const option = known.find((it) => it.valueArgs !== undefined && word === `--${it.name}`);
    const first = argv[at + 1];
    if (option?.valueArgs === undefined || first === undefined || /\s/.test(first)) {
      joined.push(word);
      continue;
    }
    const value = argv.slice(at + 1, at + 1 + option.valueArgs);
    joined.push(`${word}=${value.join(' ')}`);
    at += value.length;
  }
  return joined;
}

function wrongOption(
  error: unknown,
  command: Command,
  known: readonly Option[],
  argv: readonly string[],
): HostError {
  const { code } = error as { code?: string };
  const help = `see "toolwharf ${command.name} --help"`;
  const options = argv.filter((it) => /^-./.test(it)).map((it) => it.replace(/=.*$/s, ''));
  const named = (written: string) =>
    known.find((it) => written === `--${it.name}` || written === `-${it.short}`);
  const unknown = options.find((it) => named(it) === undefined);
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && unknown !== undefined) {
    const meant = suggest(
      unknown.replace(/^-+/, ''),
      known.map((it) => it.name),
    );
    const hint = meant === undefined ? help : `did you mean --${meant}? ${help}`;
    return new HostError('usage', `${command.name} has no option ${unknown}`, { hint, cause: error });
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    for (const [index, word] of argv.entries()) {
      const option = named(word.replace(/=.*$/s, ''));
      if (option === undefined) continue;
      if (option.value === undefined && word.includes('=')) {
        return new HostError('usage', `--${option.name} takes no value`, { hint: help, cause: error });
      }
      if (option.value !== undefined && !word.includes('=') && /^(?:-|$)/.test(argv[index + 1] ?? '')) {
        const message = `--${option.name} needs a value: --${option.name} ${option.value}`;
        return new HostError('usage', message, { hint: help, cause: error });
      }
    }
  }
  return new HostError('usage', 'invalid arguments', { hint: help, cause: error });
}

/** `2s`, `500ms`, `5m` or a number of seconds, at most 24 hours. Returns milliseconds. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? 's'] as number;
  const milliseconds = match === null ? Number.NaN : Math.round(Number(match[1]) * unit);
  if (!(milliseconds > 0) || milliseconds > 24 * 3_600_000) {
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a duration`, {
      hint: 'write 500ms, 2s, 5m or a number of seconds',
    });
  }
  return milliseconds;
}

/** `90m`, `12h` or `30d`, at most ten years. Returns milliseconds. */
export function parseLifetime(text: string, option: string): number {
  const match = /^(\d{1,6})(m|h|d)$/.exec(text);
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[match?.[2] ?? 'm'] as number;
  const milliseconds = match === null ? 0 : Number(match[1]) * unit;
  if (milliseconds <= 0 || milliseconds > 3650 * 86_400_000)
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a duration`, {
      hint: 'write 90m, 12h or 30d; at most ten years',
    });
  return milliseconds;
}

/** The home folder; fails rather than guess one. `instead` names the options that make it unnecessary. */
export function homeFolder(
  environment: Readonly<Record<string, string | undefined>>,
  instead: string,
): string {
  if (environment.HOME !== undefined && isAbsolute(environment.HOME)) return environment.HOME;
  try {
    // From the user database: HOME is not usable here.
    const { homedir } = userInfo();
    if (isAbsolute(homedir)) return homedir;
  } catch {
    // The user may have no entry in the user database, mostly in containers.
  }
  throw new HostError('usage', 'HOME is not set, and this user has no home folder', {
    hint: `name a folder with ${instead}`,
  });
}

/** --state, else TOOLWHARF_HOME, else the user's state folder. */
export function stateDirectory(
  args: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string {
  const named = args.value('state') ?? environment.TOOLWHARF_HOME;
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const stateHome = environment.XDG_STATE_HOME ?? '';
  const base = isAbsolute(stateHome)
    ? stateHome
    : join(homeFolder(environment, '--state or TOOLWHARF_HOME'), '.local', 'state');
  return join(base, 'toolwharf');
}
