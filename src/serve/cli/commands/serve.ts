import { relative } from 'node:path';
import type { Answer, RequestedInstallation } from '../../../host/host.js';
import { homeDirectory, mcpCommand } from '../../clients/launch.js';
import type { PageServer } from '../../http/approval-page/page-server.js';
import { Metrics } from '../../http/metrics.js';
import { callEvent, callLine } from '../../print/call-line.js';
import { printPackages } from '../../print/packages.js';
import { requestEvent, requestLine } from '../../print/requested-installation.js';
import { openSocketServer, type SocketServer } from '../../socket/server.js';
import { socketPath } from '../../socket/socket-path.js';
import { startByTakeover } from '../../socket/takeover.js';
import { waitForAbort } from '../abort-signal.js';
import { openAgreeingSession } from '../agreeing-session.js';
import { stateDirectory } from '../command/arguments.js';
import type { Command } from '../command/command.js';
import { auditLocations } from '../config/audit-locations.js';
import { rootOption, sessionOptions, setOption } from '../config/config.js';
import { configFileFor } from '../config/config-paths.js';
import { exemptionFile } from '../config/exemption-file.js';
import { oidcOptions, oidcSettings } from '../config/oidc.js';
import { sessionArgs, sessionFor } from '../config/session-options.js';
import { logOptions } from '../program-log.js';
import { ReloadReporter } from '../reload-reporter.js';
import { RollbackWarnings } from '../rollback-warnings.js';
import { defaultPort, httpDocument, httpOptions, type OpenedHttp, openWeb, pagesAt } from '../served-http.js';
import { openConfiguredPage, pageWarning } from '../served-page.js';
import { LineBuffer } from '../terminal/line-buffer.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { warnAboutInactive } from '../waivers.js';
import { listDocument } from './list.js';

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
      line: 'toolwharf serve tools --public-url https://tools.example.com',
      text: 'links to held calls work through your own proxy or tunnel, for example on a phone',
    },
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
      name: 'public-url',
      value: 'URL',
      text: 'where your proxy serves this host; links to held calls lead there, also from a phone',
    },
    {
      name: 'expose',
      value: 'WHICH',
      choices: ['all', 'search', 'auto'],
      text: 'tools that MCP clients see: all, search or auto (default: auto)',
    },
    { name: 'no-http', text: 'do not open a port' },
    ...oidcOptions,
    setOption,
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
    const onInstallRequest = (it: RequestedInstallation) =>
      lines.add(json ? JSON.stringify(requestEvent(it)) : requestLine(it));
    const reloads = new ReloadReporter(terminal, json);
    const rest = { audit: await auditLocations(args, terminal), ...logOptions(args, terminal) };
    const rollbacks = new RollbackWarnings(terminal.err);
    const onRollback = rollbacks.report;
    const host = await startByTakeover(
      () =>
        terminal.startHost({
          ...{ state, onAnswer, onInstallRequest, onReload: reloads.report, onRollback },
          ...rest,
        }),
      {
        state,
        version: terminal.version,
        signal: terminal.signal,
        onWait: (message) => terminal.err(`${message}\n`),
        onTakeover: ({ process, clients }) => terminal.err(takeoverLine(process, clients)),
      },
    );
    let web: OpenedHttp | undefined;
    let page: PageServer | undefined;
    let server: SocketServer | undefined;
    try {
      // First, because clients of a host that was taken over wait for it.
      server = await openSocketServer(host, {
        path: socketPath(state),
        version: terminal.version,
        state,
        now: Date.now,
        onBug: (error) => terminal.err(`${String(error)}\n`),
        handover: {
          kind: 'foreground',
          describe: () => `it is "toolwharf serve"${web === undefined ? '' : ` at ${web.server.url}`}`,
        },
      });
      await rollbacks.reportAll(host);
      // The same operator opens the sessions of all callers over HTTP.
      const ownOptions = session.policy.unsafeNoSandbox
        ? { ...session, operator: await terminalOperator(host, args, terminal) }
        : session;
      const own = await openAgreeingSession(host, ownOptions, args.positionals, args, terminal);
      const report = await reloads.follow(own);
      await warnAboutInactive(own, args, terminal);
      web =
        http === undefined
          ? undefined
          : await openWeb(
              host,
              { ...http, exemptions: exemptionFile(configFileFor('user', args, terminal)) },
              oidc,
              ownOptions,
              metrics,
              terminal,
            );
      page = web === undefined ? await openConfiguredPage(host, args, terminal) : undefined;
      if (args.has('public-url')) terminal.err(await pageWarning(host));
      const root = args.value('root');
      const start = mcpCommand({
        node: process.execPath,
        main: terminal.main,
        cwd: terminal.cwd,
        home: homeDirectory(terminal.environment, terminal.cwd),
        paths: directories,
        root,
        more: [...sessionArgs(args), '--state', state],
      });
      const command = [start.command, ...start.args];
      if (json) {
        const urls =
          web !== undefined
            ? httpDocument(web, (await own.consoleLink()).url)
            : page !== undefined
              ? { pages: pagesAt(page.url) }
              : {};
        const { packages } = listDocument(report, terminal.cwd);
        terminal.out(
          `${JSON.stringify({ schema: 'toolwharf/serve@1', ...urls, socket: socketPath(state), command, packages })}\n`,
        );
      } else {
        terminal.out(
          `${printPackages(report, style, terminal.columns, args.positionals)}\n${connectInstructions(web && httpDocument(web, (await own.consoleLink()).url), page?.url, command)}`,
        );
        terminal.out(
          `Serving ${directories.map((it) => relative(terminal.cwd, it) || '.').join(', ')}; press Ctrl-C to stop.\n`,
        );
      }
      await waitForAbort(terminal.signal);
      return 0;
    } finally {
      await web?.server.close();
      await page?.close();
      // Clients over stdio go on with a host in the background.
      await server?.handOver();
      await server?.close();
      lines.flush();
      await host.close();
    }
  },
};

function takeoverLine(process: number, clients: number): string {
  const moving =
    clients === 1 ? '; its client moves here' : clients > 1 ? `; its ${clients} clients move here` : '';
  return `taking over from the background host (process ${process})${moving}\n`;
}

function connectInstructions(
  web: ReturnType<typeof httpDocument> | undefined,
  page: string | undefined,
  command: readonly string[],
): string {
  const entry = { mcpServers: { toolwharf: { command: command[0], args: command.slice(1) } } };
  const config = JSON.stringify(entry, null, 2);
  const connect = `Connect an MCP client with\n${config}\n\n`;
  if (web === undefined)
    return page === undefined ? connect : `Pages  ${pagesAt(page)}…  (held calls)\n\n${connect}`;
  const { mcp, api, token, agentToken, oidc, pages, console } = web;
  return [
    `Console  ${console}`,
    '         open it in a browser: the link works once; "toolwharf open" makes another',
    `MCP      ${mcp}`,
    `API      ${api}  (described at ${api.replace('/api/v1', '')}/openapi.json)`,
    `Token    ${token}`,
    '         for people: it may approve calls and change settings; valid until this host stops',
    `Pages    ${pages}…  (each held call gets a link to its page there)`,
    ...(oidc === undefined
      ? []
      : [`Issuer   ${oidc.issuer}  (its access tokens for ${oidc.audience} are accepted)`]),
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
