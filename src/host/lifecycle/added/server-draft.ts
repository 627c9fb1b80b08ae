import { homedir } from 'node:os';
import type { FormatDescriptor } from '../../../formats/format-descriptor.js';
import type { PlainServer } from '../../../formats/server-writer.js';
import { neverCanceled } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { indexProblem } from '../../../model/launch/index-variable.js';
import type { Launch } from '../../../model/launch/launch.js';
import { readLaunch } from '../../../model/launch/read-launch.js';
import { npmRangeOf } from '../../../model/package-range.js';
import { toAbortSignal } from '../../../net/abort-signal.js';
import { npmCommands } from '../../../sources/npm.js';
import type { LifecycleSession } from '../lifecycle-services.js';
import { assertClearText } from './clear-text.js';
import { pathArguments } from './path-arguments.js';
import { assertSealable, programManifest, urlManifest } from './server-manifest.js';
import type { ServerDraft, ServerRequest } from './server-request.js';

/** Writes the manifest of a server. Looks up which command a package has; starts nothing. */
export async function draftServer(
  request: ServerRequest,
  session: LifecycleSession,
  formats: readonly FormatDescriptor[],
): Promise<ServerDraft> {
  const { url, command } = request;
  if ((url === undefined) === (command === undefined))
    throw new HostError('usage', 'a server has a command or a URL', {
      hint: 'write "toolwharf add NAME -- COMMAND ARGS…" or "toolwharf add NAME --url URL"',
    });
  if (url !== undefined) {
    const { server, ...draft } = urlManifest(request, url);
    assertClearText(server, request.settings);
    return { ...draft, source: await writtenSource(server, formats), offered: [] };
  }
  const launch = readLaunch(command ?? []);
  if ('problem' in launch) throw new HostError('usage', launch.problem, { hint: launch.hint });
  const names = [...Object.keys({ ...launch.env, ...request.env }), ...(request.ask ?? [])];
  const otherIndex = indexProblem(launch, names);
  if (otherIndex !== undefined) throw new HostError('usage', otherIndex.problem, { hint: otherIndex.hint });
  const { args, folders, codeFolder } = pathArguments(launch, session.setup.root, homedir());
  assertSealable(request, launch, args);
  const paths = new Set([...folders, ...launch.mounts.map((it) => it.from)]);
  const { allow = [] } = request;
  const pathsOf = (kind: 'read' | 'write') =>
    allow.flatMap((it) => (it.startsWith(`${kind}:`) ? [it.slice(kind.length + 1)] : []));
  const [read, write] = [pathsOf('read'), pathsOf('write')];
  const { server, notes, ...draft } = programManifest(request, launch, {
    command: await commandOf(launch, request, session),
    args,
    read: [...new Set([...(codeFolder === undefined ? [] : [codeFolder]), ...read])],
    write,
  });
  assertClearText(server, request.settings);
  return {
    ...draft,
    source: await writtenSource(server, formats),
    offered: [...paths].filter((it) => ![...read, ...write].includes(it)).map((it) => `read:${it}`),
    notes: [
      ...notes,
      ...(codeFolder === undefined
        ? []
        : [`its code is in ${codeFolder} and is not locked: changes there take effect at its next start`]),
    ],
  };
}

async function writtenSource(server: PlainServer, formats: readonly FormatDescriptor[]): Promise<string> {
  const format = formats.find((it) => it.serverManifest !== undefined);
  const write = await format?.serverManifest?.loadWriter();
  if (write === undefined) throw new Error('no format describes plain servers');
  return `mcp:${write(server)}`;
}

async function commandOf(
  { program }: Launch,
  { signal = neverCanceled }: ServerRequest,
  { sources }: LifecycleSession,
): Promise<string | undefined> {
  if (program.kind === 'image') return undefined;
  if (program.kind !== 'npm' || program.command !== undefined) return program.command;
  const { name = '', range = 'latest' } = npmRangeOf(program.package) ?? {};
  const options = { services: sources, signal: toAbortSignal(signal) };
  const commands = await npmCommands({ kind: 'npm', name, range }, options);
  const own = name.replace(/^@[^/]*\//, '');
  const [only] = commands;
  const found = commands.length === 1 ? only : commands.find((it) => it === own);
  if (found !== undefined) return found;
  throw commands.length === 0
    ? new HostError('usage', `${program.package} has no command to start`, { hint: 'check the name' })
    : new HostError('usage', `${program.package} has several commands: ${commands.join(', ')}`, {
        hint: `choose one: npx -p ${program.package} ${only}`,
      });
}
