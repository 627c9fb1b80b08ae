import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import { type Command, commonOptions, type Option } from './command.js';

/** A parsed command line. */
export interface Arguments {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const known = [...command.options, ...commonOptions];
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
    parsed = parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw wrongOption(error, command, known);
  }
  const values = (name: string): readonly string[] => (parsed.values[name] as string[] | undefined) ?? [];
  for (const option of known) {
    if (option.value !== undefined && !option.multiple && values(option.name).length > 1) {
      throw new HostError('usage', `--${option.name} was given twice`, {
        hint: `see "toolport ${command.name} --help"`,
      });
    }
  }
  return {
    positionals: parsed.positionals,
    has: (name) => parsed.values[name] !== undefined,
    value: (name) => values(name)[0],
    values,
  };
}

function wrongOption(error: unknown, command: Command, known: readonly Option[]): HostError {
  const { code, message } = error as { code?: string; message: string };
  const help = `see "toolport ${command.name} --help"`;
  const [, written] = /'(-[^' ]*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && written !== undefined) {
    const meant = suggest(
      written.replace(/^-+/, ''),
      known.map((it) => it.name),
    );
    const hint = meant === undefined ? help : `did you mean --${meant}? ${help}`;
    return new HostError('usage', `${command.name} has no option ${written}`, { hint, cause: error });
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && written !== undefined) {
    const option = known.find(
      (it) => written.replace(/^-+/, '').startsWith(it.name) || written === `-${it.short}`,
    );
    const wants =
      option?.value === undefined
        ? `--${option?.name} takes no value`
        : `--${option.name} needs a value: --${option.name} ${option.value}`;
    return new HostError('usage', wants, { hint: help, cause: error });
  }
  return new HostError('usage', `these arguments are not understood`, { hint: help, cause: error });
}

/** `2s`, `500ms`, `5m` or plain seconds. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? 's'] as number;
  const milliseconds = match === null ? Number.NaN : Math.round(Number(match[1]) * unit);
  if (!(milliseconds > 0) || milliseconds > 24 * 3_600_000) {
    throw new HostError('usage', `--${option} ${JSON.stringify(text)} is not a duration`, {
      hint: 'write 2s, 500ms, 5m or plain seconds',
    });
  }
  return milliseconds;
}

/** Flag, then environment, then the user's place for state. */
export function stateDirectory(
  args: Arguments,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): string {
  const named = args.value('state') ?? environment.TOOLPORT_HOME;
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const home = environment.HOME || homedir();
  const wished = environment.XDG_STATE_HOME ?? '';
  const base = isAbsolute(wished) ? wished : resolve(cwd, home, '.local', 'state');
  return join(base, 'toolport');
}
