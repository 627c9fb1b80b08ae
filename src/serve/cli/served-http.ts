// The HTTP server of `toolwharf serve`: its options, its tokens and the port that it gets.
import { randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import type { Host } from '../../host/host.js';
import { approvalPagePath } from '../../model/approval-path.js';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import type { ExemptionFile } from '../http/console/console-exemptions.js';
import type { Metrics } from '../http/metrics.js';
import { type OidcSettings, openIdentityProvider } from '../http/oidc/identity-provider.js';
import { portOwner } from '../http/port-owner.js';
import { type HttpServer, openHttpServer } from '../http/server.js';
import type { ExposeMode } from '../mcp/server-options.js';
import type { Arguments } from './command/command.js';
import { oidcOptions } from './config/oidc.js';
import type { CommandSessionOptions } from './config/session-options.js';
import type { Terminal } from './terminal/terminal.js';

export const defaultPort = 8377;

interface HttpOptions {
  readonly address: string;
  /** Undefined: the default port, or a free one if it is in use. */
  readonly port: number | undefined;
  readonly names: readonly string[];
  /** The origin of links for people; undefined: the URL of this server. */
  readonly publicUrl: string | undefined;
  readonly expose: ExposeMode;
}

/** Undefined with --no-http. */
export function httpOptions(args: Arguments): HttpOptions | undefined {
  const port = args.value('port');
  const address = args.value('listen') ?? '127.0.0.1';
  const names = args.values('name');
  const expose = args.value('expose') ?? 'auto';
  if (args.has('no-http')) {
    const conflict = [
      'port',
      'listen',
      'name',
      'public-url',
      'expose',
      ...oidcOptions.map((it) => it.name),
    ].find((it) => args.has(it));
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
  const publicUrl = publicOrigin(args.value('public-url'));
  return { address, port: port === undefined ? undefined : Number(port), names, publicUrl, expose };
}

/** The origin of a URL for people. Links and cookies go there, so it must be encrypted unless it is this machine. */
function publicOrigin(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const wrong = (problem: string, hint: string) =>
    new HostError('usage', `--public-url ${JSON.stringify(text)} ${problem}`, { hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw wrong('is not a URL', 'write it with https://, such as https://tools.example.com');
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || /[?#]/.test(text))
    throw wrong('has more than a host', 'write only the scheme, the host and the port');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw wrong(
      'is not encrypted',
      'write it with https://; your proxy in front of this server has the certificate',
    );
  return url.origin;
}

export interface OpenedHttp {
  readonly server: HttpServer;
  readonly operator: string;
  readonly agent: string;
  readonly oidc: OidcSettings | undefined;
  /** Where people open the pages of held calls. */
  readonly pages: string;
}

export async function openWeb(
  host: Host,
  {
    address,
    port,
    names,
    publicUrl,
    expose,
    exemptions,
  }: HttpOptions & { readonly exemptions: ExemptionFile },
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
          read: (url) => terminal.readDocument(url, session),
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
      publicUrl,
      expose,
      console: terminal.resource('dist/console'),
      exemptions,
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
  const opened = (server: HttpServer): OpenedHttp => ({
    ...{ server, operator, agent, oidc },
    pages: publicUrl ?? server.url,
  });
  const tryPort = port ?? defaultPort;
  try {
    return opened(await open(tryPort));
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
    return opened(await open(0));
  }
}

/** `console`: a link that signs one browser in. */
export function httpDocument({ server, operator, agent, oidc, pages }: OpenedHttp, console: string) {
  return {
    mcp: `${server.url}/mcp`,
    api: `${server.url}/api/v1`,
    console,
    token: operator,
    agentToken: agent,
    pages: pagesAt(pages),
    ...(oidc === undefined ? {} : { oidc: { issuer: oidc.issuer, audience: oidc.audience } }),
  };
}

/** What the links to all held calls start with. */
export function pagesAt(origin: string): string {
  return `${origin}${approvalPagePath}`;
}

/** 256 random bits. */
function newToken(): string {
  return `tw_${randomBytes(32).toString('base64url')}`;
}
