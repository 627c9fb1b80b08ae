import { HostError } from '../../../model/host-error.js';
import { PublisherTokens } from '../../../registry/server/publisher-tokens.js';
import { openRegistryServerParts } from '../../../registry/server/server-parts.js';
import { openRegistryServer } from '../../registry/registry-server.js';
import { waitForAbort } from '../abort-signal.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments } from '../command/command.js';
import { loadConfig, settingsFrom } from '../config/config.js';
import { contributionModel } from '../config/contribution-model.js';
import { isDryRun, reportDryRun } from '../dry-run.js';
import type { Terminal } from '../terminal/terminal.js';
import { wholeNumber } from './registry-creation.js';
import { RegistryPlace } from './registry-place.js';
import { reportRegistry } from './registry-report.js';

const defaultPort = 8378;
const dayMs = 24 * 60 * 60 * 1000;
const defaultTokenDays = 90;

/** Serves a registry until it is stopped. */
export async function serveRegistry(args: Arguments, terminal: Terminal): Promise<number> {
  const [, folder, ...more] = args.positionals;
  if (more.length > 0) throw new HostError('usage', 'serve one registry at a time');
  const place = await RegistryPlace.open(args, terminal, folder ?? args.value('registry') ?? '.');
  place.assertRegistry(terminal).assertData();
  const port = portOf(args);
  const isReadOnly = args.has('read-only');
  const config = await loadConfig(args, terminal);
  const services = await openRegistryServerParts({
    folder: place.folder,
    data: place.data,
    formats: await terminal.loadFormats(),
    online: isReadOnly ? undefined : await place.online(),
    model: await terminal.connectTextModel({
      model: contributionModel(config.entries, terminal.environment),
      state: stateDirectory(args, terminal.environment, terminal.cwd),
      policy: settingsFrom(config, args, terminal).policy,
    }),
    postgres: args.value('database') ?? terminal.environment.TOOLWHARF_REGISTRY_DATABASE,
    now: Date.now,
  });
  const server = await openRegistryServer({
    ...services,
    folder: place.folder,
    address: args.value('listen'),
    port,
    publicUrl: args.value('public-url'),
    isPrivate: args.has('private'),
    onBug: (error) =>
      terminal.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  });
  try {
    const publicUrl = args.value('public-url') ?? server.url;
    reportRegistry(
      [
        `Registry  ${publicUrl}`,
        `Reading   ${args.has('private') ? 'with a token' : 'open'}`,
        `Publish   ${isReadOnly ? 'not here' : `toolwharf publish PATH --to ${publicUrl}`}`,
        `Browse    ${publicUrl}/v0.1/servers  (the API of the official MCP registry)`,
        'Press Ctrl-C to stop.',
      ],
      { did: 'serving', url: server.url, port: server.port },
      args,
      terminal,
    );
    await waitForAbort(terminal.signal);
    return 0;
  } finally {
    await server.close();
    await services.close();
  }
}

export async function registryToken(args: Arguments, terminal: Terminal): Promise<number> {
  const [, verb = 'list', name, ...namespaces] = args.positionals;
  const place = await RegistryPlace.open(args, terminal);
  const tokens = new PublisherTokens(place.assertRegistry(terminal).assertData().data, Date.now);
  if (verb === 'list') {
    const entries = tokens.list();
    return reportRegistry(
      entries.length === 0
        ? ['no tokens']
        : entries.map(
            (it) =>
              `${it.name}  ${it.role === 'read' ? 'reads' : `publishes in ${it.namespaces.join(', ')}`}  until ${new Date(it.expiresAt).toISOString().slice(0, 10)}`,
          ),
      { did: 'listed tokens', tokens: entries.map((it) => ({ ...it })) },
      args,
      terminal,
    );
  }
  if (name === undefined)
    throw new HostError('usage', `name the token: toolwharf registry token ${verb} NAME`);
  if (verb === 'revoke') {
    if (isDryRun(args)) return reportDryRun(`revoke the token ${name}`, args, terminal);
    tokens.revoke(name);
    return reportRegistry([`revoked ${name}`], { did: 'revoked a token', name }, args, terminal);
  }
  if (verb !== 'create') throw new HostError('usage', 'use registry token create, list or revoke');
  await place.repository.view();
  const role = args.has('read') ? 'read' : 'publish';
  if (isDryRun(args)) return reportDryRun(`create a token named ${name}`, args, terminal);
  const lifetimeMs = wholeNumber(args, 'days', defaultTokenDays) * dayMs;
  const { token, entry } = tokens.create({ name, role, namespaces, lifetimeMs });
  return reportRegistry(
    [token, `shown once; valid until ${new Date(entry.expiresAt).toISOString().slice(0, 10)}`],
    { did: 'created a token', name, role, token },
    args,
    terminal,
  );
}

function portOf(args: Arguments): number {
  const text = args.value('port');
  if (text === undefined) return defaultPort;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new HostError('usage', '--port must be a number from 0 to 65535');
}
