import { randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { relative } from 'node:path';
import type { Answer, Host } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { isLoopbackHost } from '../../../model/host-name.js';
import { Metrics } from '../../http/metrics.js';
import { type OidcSettings, openIdentityProvider } from '../../http/oidc/identity-provider.js';
import { portOwner } from '../../http/port-owner.js';
import { type HttpServer, openHttpServer } from '../../http/server.js';
import type { ExposeMode } from '../../mcp/server-options.js';
import { callEvent, callLine } from '../../print/call-line.js';
import { printPackages } from '../../print/packages.js';
import { openSocketServer } from '../../socket/server.js';
import { socketPath } from '../../socket/socket-path.js';
import { waitForAbort } from '../abort-signal.js';
import { openAgreeingSession } from '../agreeing-session.js';
import { stateDirectory } from '../command/arguments.js';
import type { Arguments, Command } from '../command/command.js';
import { auditLocations } from '../config/audit-locations.js';
import { rootOption, sessionOptions } from '../config/config.js';
import { oidcOptions, oidcSettings } from '../config/oidc.js';
import { type CommandSessionOptions, sessionArgs, sessionFor } from '../config/session-options.js';
import { logOptions } from '../program-log.js';
import { ReloadReporter } from '../reload-reporter.js';
import { RollbackWarnings } from '../rollback-warnings.js';
import { LineBuffer } from '../terminal/line-buffer.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { warnAboutInactive } from '../waivers.js';
import { listDocument } from './list.js';

const defaultPort = 8377;

export const serve: Command = {
  name: 'serve',
  summary: 'Run the host in the foreground and accept clients. Shows the packages and prints every call.',
  usage: 'serve [DIR…] [options]',
  examples: [
    { line: 'toolwharf serve tools', text: 'serve the packages in a folder, over HTTP and to local clients' },
    {
      line: 'toolwharf serve --json --port 0',
      text: 'print one JSON object at the start, then one per call',
    },
    { line: 'toolwharf serve tools --state .toolwharf', text: 'use a separate state directory' },
    { line: 'toolwharf serve tools --no-http', text: 'serve only programs of this user, without a port' },
    {
      line: 'toolwharf serve tools --oidc-issuer https://id.example.com --oidc-audience toolwharf',
      text: 'accept people who sign in at this identity provider',
    },
  ],
  options: [
    rootOption,
    { name: 'port', value: 'N', text: `port for HTTP (default: ${defaultPort}; 0 picks a free one)` },
    {
      name: 'listen',
      value: 'ADDRESS',
      text: 'address for HTTP (default: 127.0.0.1); others need a token or an OIDC issuer',
    },
    { name: 'name', value: 'HOST', multiple: true, text: 'host name of a proxy in front of this server' },
    {
      name: 'expose',
      value: 'WHICH',
      choices: ['all', 'search', 'auto'],
      text: 'tools that MCP clients see: all, search or auto (default: auto)',
    },
    { name: 'no-http', text: 'do not open a port' },
    ...oidcOptions,
    ...sessionOptions,
    pinOption,
  ],
  async run(args, terminal) {
    const json = args.has('json');
    const style = terminalStyle(args, terminal);
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const http = httpOptions(args);
    const oidc = http === undefined ? undefined : await oidcSettings(args, terminal);
    const session = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const { directories } = session;
    const metrics = new Metrics();
    const lines = new LineBuffer(terminal.out);
    const onAnswer = (answer: Answer, principal: string) => {
      metrics.countCall(answer);
      lines.add(json ? JSON.stringify(callEvent(answer, principal)) : callLine(answer, principal));
    };
    const reloads = new ReloadReporter(terminal, json);
    const rest = { audit: await auditLocations(args, terminal), ...logOptions(args, terminal) };
    const rollbacks = new RollbackWarnings(terminal.err);
    const onRollback = rollbacks.report;
    const host = await terminal.startHost({ state, onAnswer, onReload: reloads.report, onRollback, ...rest });
    let web: OpenedHttp | undefined;
    try {
      await rollbacks.reportAll(host);
      // The same operator opens the sessions of all callers over HTTP.
      const ownOptions = session.policy.unsafeNoSandbox
        ? { ...session, operator: await terminalOperator(host, args, terminal) }
        : session;
      const own = await openAgreeingSession(host, ownOptions, args.positionals, args, terminal);
      const report = await reloads.follow(own);
      await warnAboutInactive(own, args, terminal);
      web = http === undefined ? undefined : await openWeb(host, http, oidc, ownOptions, metrics, terminal);
      const server = await openSocketServer(host, {
        path: socketPath(state),
        version: terminal.version,
        state,
        now: Date.now,
        onBug: (error) => terminal.err(`${String(error)}\n`),
      });
      const command = ['npx', 'toolwharf', 'mcp', ...directories, ...sessionArgs(args), '--state', state];
      if (json) {
        const urls = web === undefined ? {} : httpDocument(web);
        const { packages } = listDocument(report, terminal.cwd);
        terminal.out(
          `${JSON.stringify({ schema: 'toolwharf/serve@1', ...urls, socket: socketPath(state), command, packages })}\n`,
        );
      } else {
        terminal.out(
          `${printPackages(report, style, terminal.columns, args.positionals)}\n${connectInstructions(web, command)}`,
        );
        terminal.out(
          `Serving ${directories.map((it) => relative(terminal.cwd, it) || '.').join(', ')}; press Ctrl-C to stop.\n`,
        );
      }
      await waitForAbort(terminal.signal);
      await web?.server.close();
      await server.close();
      lines.flush();
      return 0;
    } catch (error) {
      await web?.server.close();
      throw error;
    } finally {
      await host.close();
    }
  },
};

interface HttpOptions {
  readonly address: string;
  /** Undefined: the default port, or a free one if it is in use. */
  readonly port: number | undefined;
  readonly names: readonly string[];
  readonly expose: ExposeMode;
}

/** Undefined with --no-http. */
function httpOptions(args: Arguments): HttpOptions | undefined {
  const port = args.value('port');
  const address = args.value('listen') ?? '127.0.0.1';
  const names = args.values('name');
  const expose = args.value('expose') ?? 'auto';
  if (args.has('no-http')) {
    const conflict = ['port', 'listen', 'name', 'expose', ...oidcOptions.map((it) => it.name)].find((it) =>
      args.has(it),
    );
    if (conflict !== undefined) throw new HostError('usage', `use --no-http or --${conflict}, not both`);
    return undefined;
  }
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65535))
    throw new HostError('usage', `--port ${JSON.stringify(port)} is not a port`, {
      hint: 'write a number up to 65535; 0 picks a free port',
    });
  if (isIP(address) === 0)
    throw new HostError('usage', `--listen ${JSON.stringify(address)} is not an IP address`, {
      hint: 'write an address of this machine, such as 127.0.0.1 or 0.0.0.0',
    });
  const wrong = names.find((it) => !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(it));
  if (wrong !== undefined)
    throw new HostError('usage', `--name ${JSON.stringify(wrong)} is not a host name`, {
      hint: 'write a name such as tools.example.com, with a port if needed',
    });
  if (expose !== 'all' && expose !== 'search' && expose !== 'auto')
    throw new HostError('usage', `unknown value for --expose: ${JSON.stringify(expose)}`, {
      hint: 'use all, search or auto',
    });
  return { address, port: port === undefined ? undefined : Number(port), names, expose };
}

interface OpenedHttp {
  readonly server: HttpServer;
  readonly operator: string;
  readonly agent: string;
  readonly oidc: OidcSettings | undefined;
}

async function openWeb(
  host: Host,
  { address, port, names, expose }: HttpOptions,
  oidc: OidcSettings | undefined,
  { principal: _, ...session }: CommandSessionOptions,
  metrics: Metrics,
  terminal: Terminal,
): Promise<OpenedHttp> {
  if (!isLoopbackHost(isIPv6(address) ? `[${address}]` : address)) {
    const now = Date.now();
    const hasToken = (await host.tokens.list()).some(
      (it) => it.kind === 'http' && (it.expiresAt === null || it.expiresAt > now),
    );
    if (!hasToken && oidc === undefined)
      throw new HostError('auth_required', `other machines can reach ${address}, but no token exists`, {
        hint: 'create one first: toolwharf token create NAME; or use an identity provider: --oidc-issuer URL',
      });
    terminal.err(
      `warning: other machines can reach ${address} and tokens are sent unencrypted; put a TLS proxy in front and name it with --name\n`,
    );
  }
  const provider =
    oidc === undefined
      ? undefined
      : await openIdentityProvider({
          ...oidc,
          read: (url) => terminal.readDocument(url, session.allow),
          now: Date.now,
          onRefreshError: (error) =>
            terminal.err(
              `warning: the keys of the identity provider could not be refreshed: ${(error as Error).message}\n`,
            ),
        });
  const operator = newToken();
  // A client's configuration contains this token and an agent may read it, so it must not be able to approve calls.
  const agent = newToken();
  const open = (at: number) =>
    openHttpServer(host, {
      address,
      port: at,
      names,
      expose,
      session,
      metrics,
      provider,
      startTokens: [
        { name: 'start-operator', role: 'operator', token: operator },
        { name: 'start-agent', role: 'agent', token: agent },
      ],
      version: terminal.version,
      now: Date.now,
      onBug: (error) => terminal.err(`${error instanceof Error ? (error.stack ?? error) : String(error)}\n`),
    });
  const tryPort = port ?? defaultPort;
  try {
    return { server: await open(tryPort), operator, agent, oidc };
  } catch (error) {
    const inUse =
      error instanceof HostError && (error.cause as { code?: string } | undefined)?.code === 'EADDRINUSE';
    if (!inUse) throw error;
    const owner = portOwner(tryPort) ?? 'another process';
    if (port !== undefined)
      throw new HostError('usage', `port ${tryPort} of ${address} is in use by ${owner}`, {
        hint: 'choose another with --port (0 picks a free one), or use --no-http',
        cause: error,
      });
    terminal.err(
      `port ${tryPort} is in use by ${owner}; using a free port instead (--port N for a fixed one)\n`,
    );
    return { server: await open(0), operator, agent, oidc };
  }
}

function httpDocument({ server, operator, agent, oidc }: OpenedHttp) {
  return {
    mcp: `${server.url}/mcp`,
    api: `${server.url}/api/v1`,
    token: operator,
    agentToken: agent,
    ...(oidc === undefined ? {} : { oidc: { issuer: oidc.issuer, audience: oidc.audience } }),
  };
}

function connectInstructions(web: OpenedHttp | undefined, command: readonly string[]): string {
  const entry = { mcpServers: { toolwharf: { command: command[0], args: command.slice(1) } } };
  const config = JSON.stringify(entry, null, 2);
  if (web === undefined) return `Connect an MCP client with\n${config}\n\n`;
  const { mcp, api, token, agentToken, oidc } = httpDocument(web);
  return [
    `MCP    ${mcp}`,
    `API    ${api}  (described at ${web.server.url}/openapi.json)`,
    `Token  ${token}`,
    '       for people: it may approve calls and change settings; valid until this host stops',
    ...(oidc === undefined
      ? []
      : [`Issuer ${oidc.issuer}  (its access tokens for ${oidc.audience} are accepted)`]),
    '',
    'Connect an MCP client over HTTP, with a token that can only list and call tools',
    `  claude mcp add --transport http toolwharf ${mcp} --header "Authorization: Bearer ${agentToken}"`,
    '  (toolwharf token create NAME creates one that stays valid)',
    '',
    'or over stdio with',
    config,
    '',
    '',
  ].join('\n');
}

/** 256 random bits. */
function newToken(): string {
  return `tw_${randomBytes(32).toString('base64url')}`;
}
