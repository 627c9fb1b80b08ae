// `toolwharf mcp --connect URL`: a stdio client uses a host on another machine.

import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { readPrivateFile } from '../../files/private-file.js';
import { HostError } from '../../model/host-error.js';
import { readLines } from '../../wire/lines.js';
import { BridgeEndpoint } from '../bridge/bridge-endpoint.js';
import { McpBridge } from '../bridge/mcp-bridge.js';
import { mcpEndpoint } from '../clients/launch.js';
import { tokenVariable } from '../clients/settings-edit.js';
import { requestIdIn, rpcErrorReply } from '../mcp/json-rpc.js';
import { visibleLine } from '../print/visible.js';
import type { Arguments, Option } from './command/command.js';
import { certificatePolicy } from './config/certificate-policy.js';
import { rootOption, sessionOptions, setOption } from './config/config.js';
import type { Terminal } from './terminal/terminal.js';

export const connectOptions: readonly Option[] = [
  { name: 'connect', value: 'URL', text: 'use the host behind "toolwharf serve" at this URL, over HTTP' },
  {
    name: 'token-file',
    value: 'FILE',
    text: `with --connect: file with the token (mode 0600; default: the variable ${tokenVariable})`,
  },
  {
    name: 'plain-http',
    text: 'with --connect: send the token unencrypted to another machine, in a network that you trust',
  },
];

/** Decided by the host, not by this command. */
const hostOptions = [rootOption, setOption, ...sessionOptions]
  .map((it) => it.name)
  .filter((it) => it !== 'ca-file')
  .concat('expose', 'installed', 'client-key-file');
const tokenSizes = { min: 1, max: 16 * 1024 };

export async function runBridge(args: Arguments, terminal: Terminal): Promise<number> {
  const url = args.value('connect');
  if (url === undefined)
    throw new HostError('usage', '--token-file and --plain-http have a meaning only with --connect', {
      hint: 'write --connect URL',
    });
  const other = args.positionals.length > 0 ? 'a folder' : hostOptions.find((it) => args.has(it));
  if (other !== undefined)
    throw new HostError('usage', `--connect and ${other.replace(/^(?!a )/, '--')} exclude each other`, {
      hint: 'the host at the URL decides which packages it serves; give this to its "toolwharf serve"',
    });
  const caFile = args.value('ca-file');
  const endpoint = new BridgeEndpoint({
    url: mcpEndpoint(url, { option: '--connect', plainHttp: args.has('plain-http') }),
    readToken: () => tokenFor(args, terminal),
    certificates: certificatePolicy(caFile && resolve(terminal.cwd, caFile), terminal).caCertificates,
  });
  const write = lineWriter(terminal.stdout);
  const bridge = new McpBridge({
    endpoint,
    write,
    note: (text) => terminal.err(`${visibleLine(text)}\n`),
  });
  const left = new Promise<undefined>((resolve) => {
    terminal.signal.addEventListener('abort', () => resolve(undefined));
    readLines(terminal.stdin, {
      line: (text) => bridge.receive(text),
      skipped(_bytes, head) {
        if (head !== null)
          void write(rpcErrorReply(requestIdIn(head), -32600, 'the message is too long').text);
      },
      end: () => resolve(undefined),
    });
  });
  const failure = await Promise.race([left, bridge.failed]);
  await bridge.close();
  terminal.stdin.destroy();
  if (failure !== undefined) throw failure;
  return 0;
}

/** From the file, else from the environment. Standard input belongs to MCP, and arguments are visible to other users. */
function tokenFor(args: Arguments, { cwd, environment }: Terminal): string {
  const file = args.value('token-file');
  const path = file === undefined ? undefined : resolve(cwd, file);
  const token =
    path === undefined ? environment[tokenVariable] : readPrivateFile(path, tokenSizes)?.toString('utf8');
  const missing =
    path === undefined
      ? `there is no token: neither --token-file nor the variable ${tokenVariable}`
      : `there is no token in ${path}`;
  const hint =
    'create one on the machine of the host: toolwharf token create NAME; write it to a file with mode 0600';
  if (token === undefined || token.trim() === '') throw new HostError('auth_required', missing, { hint });
  if (!/^[\x21-\x7e]+$/.test(token.trim()))
    throw new HostError('auth_required', `${path ?? tokenVariable} contains something other than a token`, {
      hint,
    });
  return token.trim();
}

function lineWriter(stdout: Writable): (line: string) => Promise<void> {
  const waiting: (() => void)[] = [];
  const resume = () => {
    for (const it of waiting.splice(0)) it();
  };
  // A client that is gone is noticed at the end of standard input.
  stdout.on('error', resume);
  stdout.on('close', resume);
  stdout.on('drain', resume);
  return (line) =>
    new Promise((resolve) => {
      if (stdout.destroyed || stdout.write(`${line}\n`)) resolve();
      else waiting.push(resolve);
    });
}
