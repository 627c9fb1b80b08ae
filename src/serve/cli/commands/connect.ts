import { homedir } from 'node:os';
import { suggest } from '../../../formats/suggest.js';
import { HostError } from '../../../model/host-error.js';
import { chatgptSteps } from '../../../model/known-clients.js';
import { type Client, clientNames, configScopes } from '../../clients/client.js';
import { clientScope, entryNameOption } from '../../clients/client-scope.js';
import { clients } from '../../clients/clients.js';
import { Connection, type ConnectMachine } from '../../clients/connection.js';
import { mcpEndpoint } from '../../clients/launch.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments, Command } from '../command/command.js';
import { sessionOptions } from '../config/config.js';
import { pinOption } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';

const names = [...clientNames, 'chatgpt'];
/** --unsafe-no-sandbox must be given each time, so it is never written into a file. */
const storableOptions = sessionOptions.filter((it) => it.name !== 'unsafe-no-sandbox');

export const connect = connectCommand({
  platform: process.platform,
  node: process.execPath,
  home: homedir(),
});

export function connectCommand(machine: ConnectMachine): Command {
  return {
    name: 'connect',
    summary:
      "Add Toolwharf to a client's configuration. Shows the change, asks, writes it and keeps a backup.",
    usage: `connect ${names.join(' | ')} [DIR…] [options]`,
    examples: [
      { line: 'toolwharf connect claude-desktop tools', text: 'show the change, ask, then write it' },
      { line: 'toolwharf connect vscode --print', text: 'print the entry to paste yourself' },
      {
        line: 'toolwharf connect cursor --http http://127.0.0.1:8377',
        text: 'use a host started with "toolwharf serve"',
      },
      { line: 'toolwharf connect claude-code --remove', text: 'remove the entry' },
      { line: 'toolwharf connect gemini-cli --undo', text: 'restore the file as it was before' },
    ],
    options: [
      {
        name: 'scope',
        value: 'SCOPE',
        choices: configScopes,
        text: 'user, project, or local: yours in this project (default: depends on the client)',
      },
      { name: 'http', value: 'URL', text: 'connect to a running host instead of starting one' },
      { name: 'name', value: 'NAME', text: 'name of the server entry (default: toolwharf)' },
      { name: 'root', value: 'DIR', text: 'workspace folder that tools may use' },
      {
        name: 'may-approve',
        text: 'a person may approve held calls in this client, without the PIN (default: ask)',
      },
      { name: 'no-may-approve', text: 'nobody may approve held calls in this client' },
      pinOption,
      { name: 'print', text: 'print the entry, without writing it' },
      { name: 'dry-run', text: 'show the change, without writing it' },
      { name: 'remove', text: 'remove the entry' },
      { name: 'undo', text: 'restore the file as it was before the last change' },
      { name: 'force', text: 'overwrite an entry of another program, or changes made since' },
      ...storableOptions,
    ],
    async run(args, terminal) {
      const [name, ...paths] = args.positionals;
      const modes = ['print', 'remove', 'undo'].filter((it) => args.has(it));
      if (modes.length > 1)
        throw new HostError('usage', `--${modes.join(' and --')} exclude each other`, {
          hint: 'use one of them',
        });
      if (name === 'chatgpt') return printSteps(args, terminal);
      const client = clientNamed(name);
      const scope = clientScope(client, args.value('scope'));
      const connection = new Connection({
        client,
        scope,
        name: entryNameOption(args.value('name')),
        paths,
        machine,
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
    name === undefined ? 'name a client' : `unknown client ${JSON.stringify(name)}`,
    { hint: meant === undefined ? `use one of ${names.join(', ')}` : `did you mean ${meant}?` },
  );
}

function printSteps(args: Arguments, terminal: Terminal): number {
  const written = args.value('http');
  const steps = chatgptSteps(written === undefined ? undefined : mcpEndpoint(written).href);
  if (args.has('json'))
    terminal.out(
      `${JSON.stringify({ schema: 'toolwharf/connect@1', client: 'chatgpt', status: 'steps', steps })}\n`,
    );
  else terminal.out(steps.map((it, at) => `${at + 1}. ${visibleLine(it)}\n`).join(''));
  return 0;
}
