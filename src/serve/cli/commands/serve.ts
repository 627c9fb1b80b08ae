import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { relative } from 'node:path';
import type { Answer, Host, SessionOptions } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { Metrics } from '../../http/metrics.js';
import { type OidcSettings, openProvider } from '../../http/oidc/provider.js';
import { portHolder } from '../../http/port-holder.js';
import { type HttpServer, openHttp } from '../../http/server.js';
import type { Expose } from '../../mcp/front.js';
import { printPackages } from '../../print/packages.js';
import { visibleLine } from '../../print/visible.js';
import { socketPath } from '../../socket/path.js';
import { listen } from '../../socket/server.js';
import { aborted } from '../aborted.js';
import { type Arguments, stateDirectory } from '../arguments.js';
import { auditPlaces } from '../audit-places.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { LineBuffer } from '../line-buffer.js';
import { oidcOptions, oidcSettings } from '../oidc.js';
import { logOptions } from '../program-log.js';
import { ReloadLines } from '../reload-lines.js';
import { sessionArgs, sessionFor } from '../session-options.js';
import { styleFor } from '../style-for.js';
import type { Terminal } from '../terminal.js';
import { listDocument } from './list.js';

const usualPort = 8377;

export const serve: Command = {
  name: 'serve',
  summary: 'Be the host in the foreground: show the packages, let clients in, print every call.',
  usage: 'serve [DIR…] [options]',
  examples: [
    { line: 'toolwharf serve tools', text: 'the packages in a folder, over HTTP and for local clients' },
    { line: 'toolwharf serve --json --port 0', text: 'one JSON object for the start, then one a call' },
    { line: 'toolwharf serve tools --state .toolwharf', text: 'with a state directory of its own' },
    { line: 'toolwharf serve tools --no-http', text: 'for programs of this user only, without a port' },
    {
      line: 'toolwharf serve tools --oidc-issuer https://id.example.com --oidc-audience toolwharf',
      text: 'for whoever signs in there',
    },
  ],
  options: [
    { name: 'root', value: 'DIR', text: 'workspace that tools may be lent' },
    { name: 'port', value: 'N', text: `port for HTTP (${usualPort} unless told; 0 takes any that is free)` },
    {
      name: 'listen',
      value: 'ADDRESS',
      text: 'address for HTTP (127.0.0.1 unless told); others need tokens or an issuer',
    },
    { name: 'name', value: 'HOST', multiple: true, text: 'name under which a proxy in front is reached' },
    { name: 'expose', value: 'WHICH', text: 'tools that MCP clients see: all, search or auto' },
    { name: 'no-http', text: 'do not listen on a port' },
    ...oidcOptions,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const json = args.has('json');
    const style = styleFor(args, terminal);
    const state = stateDirectory(args, terminal.environment, terminal.cwd);
    const door = doorOf(args);
    const oidc = door === undefined ? undefined : await oidcSettings(args, terminal);
    const wanted = await sessionFor(args, terminal, args.positionals, args.value('root'));
    const { directories } = wanted;
    const metrics = new Metrics();
    const lines = new LineBuffer(terminal.out);
    const onAnswer = (answer: Answer, principal: string) => {
      metrics.answered(answer);
      lines.add(json ? JSON.stringify(eventOf(answer, principal)) : describe(answer, principal));
    };
    const reloads = new ReloadLines(terminal, json);
    const rest = { audit: await auditPlaces(args, terminal), ...logOptions(args, terminal) };
    const host = await terminal.startHost({ state, onAnswer, onReload: reloads.tell, ...rest });
    let web: Web | undefined;
    try {
      const session = await host.session(wanted);
      const report = await reloads.follow(session);
      web = door === undefined ? undefined : await openWeb(host, door, oidc, wanted, metrics, terminal);
      const server = await listen(host, {
        path: socketPath(state),
        version: terminal.version,
        now: Date.now,
        onBug: (error) => terminal.err(`${String(error)}\n`),
      });
      const command = ['npx', 'toolwharf', 'mcp', ...directories, ...sessionArgs(args), '--state', state];
      if (json) {
        const urls = web === undefined ? {} : webDocument(web);
        const { packages } = listDocument(report, terminal.cwd);
        terminal.out(
          `${JSON.stringify({ schema: 'toolwharf/serve@1', ...urls, socket: socketPath(state), command, packages })}\n`,
        );
      } else {
        terminal.out(`${printPackages(report, style, terminal.columns)}\n${directions(web, command)}`);
        terminal.out(
          `Serving ${directories.map((it) => relative(terminal.cwd, it) || '.').join(', ')}; Ctrl-C ends it.\n`,
        );
      }
      await aborted(terminal.signal);
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

interface Door {
  readonly address: string;
  /** Undefined: the usual one, or any if that is taken. */
  readonly port: number | undefined;
  readonly names: readonly string[];
  readonly expose: Expose;
}

function doorOf(args: Arguments): Door | undefined {
  const port = args.value('port');
  const address = args.value('listen') ?? '127.0.0.1';
  const names = args.values('name');
  const expose = args.value('expose') ?? 'auto';
  if (args.has('no-http')) {
    const useless = ['port', 'listen', 'name', 'expose', ...oidcOptions.map((it) => it.name)].find((it) =>
      args.has(it),
    );
    if (useless !== undefined) throw new HostError('usage', `say --no-http or --${useless}, not both`);
    return undefined;
  }
  if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65535))
    throw new HostError('usage', `--port ${JSON.stringify(port)} is not a port`, {
      hint: 'write a number up to 65535; 0 takes any that is free',
    });
  if (isIP(address) === 0)
    throw new HostError('usage', `--listen ${JSON.stringify(address)} is not an address`, {
      hint: 'write an address of this machine, such as 127.0.0.1 or 0.0.0.0',
    });
  const wrong = names.find((it) => !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(it));
  if (wrong !== undefined)
    throw new HostError('usage', `--name ${JSON.stringify(wrong)} does not name a host`, {
      hint: 'write a plain name such as tools.example.com, with a port if it has one',
    });
  if (expose !== 'all' && expose !== 'search' && expose !== 'auto')
    throw new HostError('usage', `--expose ${JSON.stringify(expose)} is not known`, {
      hint: 'use all, search or auto',
    });
  return { address, port: port === undefined ? undefined : Number(port), names, expose };
}

interface Web {
  readonly server: HttpServer;
  readonly operator: string;
  readonly agent: string;
  readonly oidc: OidcSettings | undefined;
}

async function openWeb(
  host: Host,
  { address, port, names, expose }: Door,
  oidc: OidcSettings | undefined,
  { principal: _, ...session }: Required<SessionOptions>,
  metrics: Metrics,
  terminal: Terminal,
): Promise<Web> {
  if (!/^(127\.|::1$)/.test(address)) {
    const now = Date.now();
    const good = (await host.tokens.list()).some((it) => it.expiresAt === null || it.expiresAt > now);
    if (!good && oidc === undefined)
      throw new HostError(
        'auth_required',
        `${address} can be reached from other machines, and there is no token`,
        {
          hint: 'make one first: toolwharf token create NAME; or name who signs people in: --oidc-issuer URL',
        },
      );
    terminal.err(
      `warning: ${address} can be reached from other machines and tokens travel unencrypted; put a proxy with TLS in front and name it with --name\n`,
    );
  }
  const provider =
    oidc === undefined
      ? undefined
      : await openProvider({
          ...oidc,
          read: (url) => terminal.readDocument(url, session.allow),
          now: Date.now,
          onTrouble: (error) =>
            terminal.err(`warning: keys could not be renewed: ${(error as Error).message}\n`),
        });
  const operator = newToken();
  // An agent can read the configuration of its client: what is written there must not approve its calls.
  const agent = newToken();
  const open = (at: number) =>
    openHttp(host, {
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
  const wanted = port ?? usualPort;
  try {
    return { server: await open(wanted), operator, agent, oidc };
  } catch (error) {
    const taken =
      error instanceof HostError && (error.cause as { code?: string } | undefined)?.code === 'EADDRINUSE';
    if (!taken) throw error;
    const holder = portHolder(wanted) ?? 'another process';
    if (port !== undefined)
      throw new HostError('usage', `port ${wanted} of ${address} is taken by ${holder}`, {
        hint: 'name another with --port, 0 for any that is free, or use --no-http',
        cause: error,
      });
    terminal.err(`port ${wanted} is taken by ${holder}; using a free one (--port N for one that stays)\n`);
    return { server: await open(0), operator, agent, oidc };
  }
}

function webDocument({ server, operator, agent, oidc }: Web) {
  return {
    mcp: `${server.url}/mcp`,
    api: `${server.url}/api/v1`,
    token: operator,
    agentToken: agent,
    ...(oidc === undefined ? {} : { oidc: { issuer: oidc.issuer, audience: oidc.audience } }),
  };
}

function directions(web: Web | undefined, command: readonly string[]): string {
  const entry = { mcpServers: { toolwharf: { command: command[0], args: command.slice(1) } } };
  const config = JSON.stringify(entry, null, 2);
  if (web === undefined) return `Connect an MCP client with\n${config}\n\n`;
  const { mcp, api, token, agentToken, oidc } = webDocument(web);
  return [
    `MCP    ${mcp}`,
    `API    ${api}  (described at ${web.server.url}/openapi.json)`,
    `Token  ${token}`,
    '       for people: it may approve calls and change settings; good until this ends',
    ...(oidc === undefined
      ? []
      : [`Issuer ${oidc.issuer}  (its access tokens for ${oidc.audience} are good here)`]),
    '',
    'Connect an MCP client over HTTP, with a token that can only list and call',
    `  claude mcp add --transport http toolwharf ${mcp} --header "Authorization: Bearer ${agentToken}"`,
    '  (toolwharf token create NAME makes one that outlives this start)',
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

function eventOf(answer: Answer, principal: string) {
  const code = 'error' in answer && answer.error !== undefined ? { code: answer.error.code } : {};
  return {
    event: 'call',
    tool: answer.tool,
    status: answer.status,
    ...code,
    principal,
    callId: answer.callId,
    durationMs: answer.durationMs,
  };
}

function describe(answer: Answer, principal: string): string {
  const why =
    'error' in answer && answer.error !== undefined ? `  ${answer.error.message.split('\n', 1)[0]}` : '';
  return visibleLine(
    `${answer.status.padEnd(8)} ${answer.tool}  ${Math.round(answer.durationMs)} ms  ${principal}${why}`,
  );
}
