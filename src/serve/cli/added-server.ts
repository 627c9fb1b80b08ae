import { resolve } from 'node:path';
import type { ServerRequest } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Arguments, Option } from './command/command.js';
import type { Terminal } from './terminal/terminal.js';

/** Options that describe a server. */
export const serverOptions: readonly Option[] = [
  { name: 'url', value: 'URL', text: 'a server that runs elsewhere' },
  { name: 'header', value: 'NAME=VALUE', multiple: true, text: 'a header for its requests; a secret' },
  {
    name: 'env',
    value: 'NAME[=VALUE]',
    multiple: true,
    text: 'a variable; VALUE may be @FILE, or - for standard input; without a value you are asked',
  },
  {
    name: 'setting',
    value: 'NAME',
    multiple: true,
    text: 'this value is not a secret, whatever it looks like',
  },
  {
    name: 'allow-scripts',
    value: 'PACKAGE',
    multiple: true,
    text: 'run the install scripts of this npm package, in the sandbox',
  },
  { name: 'no-trial', text: 'do not start it once before the plan' },
];

/** The server that the arguments describe. */
export async function givenServer(args: Arguments, terminal: Terminal): Promise<ServerRequest> {
  const [name, ...command] = args.positionals;
  const url = args.value('url');
  if (name === undefined || !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw new HostError(
      'usage',
      name === undefined ? 'name the server' : `${JSON.stringify(name)} is not a name`,
      {
        hint: 'use lowercase letters, digits, "_" and "-": toolwharf add NAME -- COMMAND ARGS…',
      },
    );
  if (url === undefined && command.length === 0)
    throw new HostError('usage', 'say how the server is started, or where it is', {
      hint: `write "toolwharf add ${name} -- COMMAND ARGS…" or "toolwharf add ${name} --url URL"`,
    });
  const reader = new ValueReader(terminal);
  const env: Record<string, string> = {};
  const ask: string[] = [];
  for (const text of args.values('env')) {
    const equals = text.indexOf('=');
    if (equals === -1) ask.push(text);
    else env[text.slice(0, equals)] = await reader.read(text.slice(0, equals), text.slice(equals + 1));
  }
  const headers: Record<string, string> = {};
  for (const text of args.values('header')) {
    const [, header, value] = /^([^=:]+)[=:]\s*(.+)$/s.exec(text) ?? [];
    if (header === undefined || value === undefined)
      throw new HostError('usage', `--header ${text} has no value`, { hint: 'write --header NAME=VALUE' });
    headers[header] = await reader.read(header, value);
  }
  const named = args.values('secret').flatMap((it) => /^([^=]+)=/.exec(it)?.[1] ?? []);
  return {
    name,
    ...(url === undefined ? { command } : { url, ...(command.length === 0 ? {} : { command }) }),
    ...{ env, headers, settings: args.values('setting'), scripts: args.values('allow-scripts') },
    ask: [...ask, ...(url === undefined ? named : [])],
    secrets: named,
  };
}

/** Values can also come from a file or from standard input, which others cannot see in a list of processes. */
class ValueReader {
  readonly #terminal: Terminal;
  #usesStdin = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async read(name: string, text: string): Promise<string> {
    if (text === '-') {
      if (this.#usesStdin) throw new HostError('usage', 'only one value can come from standard input');
      this.#usesStdin = true;
      return (await this.#terminal.readStdin()).replace(/\r?\n$/, '');
    }
    if (!text.startsWith('@')) return text;
    const content = this.#terminal.readFile(resolve(this.#terminal.cwd, text.slice(1)));
    if (content === undefined)
      throw new HostError('usage', `the value of ${name} cannot be read from ${text.slice(1)}`);
    return content.replace(/\r?\n$/, '');
  }
}
