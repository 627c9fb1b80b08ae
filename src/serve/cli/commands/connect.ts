import { homedir } from 'node:os';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { chatgptSteps } from '../../clients/chatgpt.js';
import { type Client, clientNames, type Scope } from '../../clients/client.js';
import { clients } from '../../clients/clients.js';
import { Connection, type ConnectWorld } from '../../clients/connection.js';
import { endpointOf } from '../../clients/launch.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../arguments.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import type { Terminal } from '../terminal.js';

const names = [...clientNames, 'chatgpt'];
/** Running without confinement is said each time, so it is never written into a file. */
const lasting = sessionOptions.filter((it) => it.name !== 'unsafe-no-sandbox');

export const connect = connectCommand({
  platform: process.platform,
  node: process.execPath,
  home: homedir(),
});

export function connectCommand(world: ConnectWorld): Command {
  return {
    name: 'connect',
    summary: "Put Toolwharf into a client's configuration: shown first, kept beside, undone in one command.",
    usage: `connect ${names.join('|')} [DIR…] [options]`,
    examples: [
      { line: 'toolwharf connect claude-desktop tools', text: 'shows the change, asks, writes' },
      { line: 'toolwharf connect vscode --print', text: 'only the text to paste' },
      { line: 'toolwharf connect cursor --http http://127.0.0.1:8377', text: 'ask a host that "serve" runs' },
      { line: 'toolwharf connect claude-code --remove', text: 'take out what was written' },
      { line: 'toolwharf connect gemini-cli --undo', text: 'the file as it was before' },
    ],
    options: [
      { name: 'scope', value: 'SCOPE', text: 'user or project' },
      { name: 'http', value: 'URL', text: 'ask a running host instead of starting one' },
      { name: 'name', value: 'NAME', text: 'what the server is called there (toolwharf unless told)' },
      { name: 'root', value: 'DIR', text: 'workspace that tools may be lent' },
      { name: 'print', text: 'print the entry and write nothing' },
      { name: 'dry-run', text: 'show the change and write nothing' },
      { name: 'remove', text: 'take the entry out' },
      { name: 'undo', text: 'put the file back as it was before the last change' },
      { name: 'force', text: "also where the entry is somebody else's, or the file changed since" },
      ...lasting,
    ],
    async run(args, terminal) {
      const [name, ...paths] = args.positionals;
      const modes = ['print', 'remove', 'undo'].filter((it) => args.has(it));
      if (modes.length > 1)
        throw new HostError('usage', `--${modes.join(' and --')} do not go together`, { hint: 'use one' });
      if (name === 'chatgpt') return printSteps(args, terminal);
      const client = clientNamed(name);
      const scope = scopeOf(client, args.value('scope'));
      const connection = new Connection({
        client,
        scope,
        name: nameOf(args.value('name') ?? 'toolwharf'),
        paths,
        world,
        args,
        terminal,
      });
      if (args.has('print')) return connection.print();
      if (args.has('undo')) return connection.undo();
      return args.has('remove') ? connection.remove() : connection.connect();
    },
  };
}

function clientNamed(name: string | undefined): Client {
  const known = clientNames.find((it) => it === name);
  if (known !== undefined) return clients[known];
  const meant = name === undefined ? undefined : suggest(name, names);
  throw new HostError(
    'usage',
    name === undefined ? 'name a client' : `there is no client ${JSON.stringify(name)}`,
    { hint: meant === undefined ? `use one of ${names.join(', ')}` : `did you mean ${meant}?` },
  );
}

function printSteps(args: Arguments, terminal: Terminal): number {
  const written = args.value('http');
  const steps = chatgptSteps(written === undefined ? undefined : endpointOf(written).href);
  if (args.has('json'))
    terminal.out(
      `${JSON.stringify({ schema: 'toolwharf/connect@1', client: 'chatgpt', status: 'steps', steps })}\n`,
    );
  else terminal.out(steps.map((it, at) => `${at + 1}. ${visibleLine(it)}\n`).join(''));
  return 0;
}

function scopeOf(client: Client, wanted: string | undefined): Scope {
  const scope = wanted === undefined ? client.scopes[0] : client.scopes.find((it) => it === wanted);
  if (scope !== undefined) return scope;
  throw new HostError('usage', `${client.title} has no scope ${JSON.stringify(wanted)}`, {
    hint: `use --scope ${client.scopes.join(' or ')}`,
  });
}

function nameOf(written: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(written)) return written;
  throw new HostError('usage', `--name ${JSON.stringify(written)} is not a name`, {
    hint: 'use letters, digits, dots and dashes, 64 at most',
  });
}
