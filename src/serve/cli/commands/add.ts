import { resolve } from 'node:path';
import type { Plan, RemoteSession, ServerDraft, ServerRequest, ServerTrial } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printChange } from '../../print/change.js';
import { printPlan } from '../../print/plan.js';
import { printTrial } from '../../print/trial.js';
import { visibleLine } from '../../print/visible.js';
import { givenServer, serverOptions } from '../added-server.js';
import { changeProgress } from '../change-progress.js';
import type { Arguments, Command } from '../command/command.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { agreesToPlan } from '../install-agreement.js';
import { collectValues } from '../install-values.js';
import { lifecycleOptions, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { changeDocument, planDocument } from '../source-options.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { terminalStyle } from '../terminal/terminal-style.js';
import { withHost } from '../with-host.js';
import { agreementOptions } from './install.js';

export const addCommand: Command = {
  name: 'add',
  summary: 'Add an MCP server by its command or URL: lock it, try it once, show the plan, then install.',
  usage: 'add NAME [options] -- COMMAND ARGS… | add NAME --url URL [--header NAME=VALUE]…',
  examples: [
    {
      line: 'toolwharf add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
      text: 'also bunx, pnpm dlx, uvx, pipx run, docker run and podman run',
    },
    {
      line: 'toolwharf add search --env API_KEY=- -- uvx search-server < key.txt',
      text: 'a value from standard input; API_KEY=@FILE reads a file',
    },
    {
      line: 'toolwharf add tracker --url https://mcp.example.com/mcp --header Authorization=@token.txt',
      text: 'a server that runs elsewhere; header values are secrets',
    },
    {
      line: 'toolwharf add fetch --yes --allow net:example.com -- uvx mcp-server-fetch',
      text: 'in a script: name what it may use',
    },
  ],
  options: [...serverOptions, ...agreementOptions, pinOption, dryRunOption, ...lifecycleOptions],
  async run(args, terminal) {
    const server = await givenServer(args, terminal);
    return withHost(args, terminal, async (host) => {
      const isDry = isDryRun(args);
      const session = await openLifecycleSession(host, args, terminal, isDry ? 'look' : 'use');
      const allow = packageAllow(args).map((it) => absoluteGrant(it, terminal));
      const request = { ...server, allow, signal: terminal.signal };
      if (isDry) {
        const { plan, draft } = await planned(request, [], session);
        notes(draft, args, terminal);
        terminal.out(args.has('json') ? planDocument(plan) : printed(plan));
        return 0;
      }
      const by = await terminalOperator(host, args, terminal);
      const onProgress = changeProgress(args, terminal);
      // Who agrees to a digest has seen the plan; a trial could not change it.
      const trial =
        args.has('agree') || args.has('no-trial')
          ? undefined
          : await session.installations.tryServer({ ...request, by, onProgress });
      if (trial !== undefined && !args.has('quiet')) terminal.err(printTrial(trial, server.name));
      const mayAsk =
        terminal.stdinIsTerminal && !['yes', 'json', 'no-input', 'agree'].some((it) => args.has(it));
      const offered = await chosenGrants(trial, request, session, mayAsk, terminal);
      const { plan, draft } = await planned(request, offered, session);
      notes(draft, args, terminal);
      if (!args.has('json') && !args.has('quiet')) terminal.out(`${printed(plan)}\n`);
      if (plan.blockers.length > 0)
        throw new HostError('runtime_missing', `${server.name} cannot run here: ${plan.blockers.join('; ')}`);
      if (!(await agreesToPlan(plan, args, terminal))) {
        terminal.err('nothing was changed\n');
        return errorTable.approval_required.exit;
      }
      const asked = {
        ...plan,
        credentials: plan.credentials.filter((it) => draft.values[it.name] === undefined),
      };
      const values = {
        ...draft.values,
        ...(await collectValues(asked, session.installations, args, terminal)),
      };
      const change = await session.installations.install({
        ...{
          source: draft.source,
          allow: [...allow, ...offered],
          agree: plan.digest,
          values,
          by,
          onProgress,
        },
        ...{ signal: terminal.signal, skipSmoke: args.has('skip-smoke') },
      });
      terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
      return 0;
    });
    function printed(plan: Plan): string {
      return printPlan(plan, terminalStyle(args, terminal), terminal.columns);
    }
  },
};

/** The plan of a server that may use `offered` besides what the request allows. */
async function planned(
  request: ServerRequest & { readonly allow: readonly string[] },
  offered: readonly string[],
  { installations }: RemoteSession,
): Promise<{ readonly plan: Plan; readonly draft: ServerDraft }> {
  const allow = [...new Set([...request.allow, ...offered])];
  const draft = await installations.draftServer({ ...request, allow });
  const { signal } = request;
  return { draft, plan: await installations.plan({ source: draft.source, allow, signal }) };
}

/** What the person adds to what was allowed: folders of the arguments, and the hosts that the trial showed. */
async function chosenGrants(
  trial: ServerTrial | undefined,
  request: ServerRequest & { readonly allow: readonly string[] },
  { installations }: RemoteSession,
  mayAsk: boolean,
  terminal: Terminal,
): Promise<readonly string[]> {
  const { offered } = await installations.draftServer(request);
  const hosts = (trial?.hosts ?? []).filter((it) => !request.allow.includes(it));
  const wanted = [...offered, ...hosts];
  if (wanted.length === 0) return [];
  if (!mayAsk) {
    const flags = wanted.map((it) => `--allow ${it}`).join(' ');
    terminal.err(`${visibleLine(`not granted: ${flags}`)}\n`);
    return [];
  }
  terminal.err('It would use, and gets only what you allow:\n');
  for (const it of wanted) terminal.err(`  ${visibleLine(it)}\n`);
  const answer = await terminal.ask('Allow these? [y]es, [w]rite to the folders too, [n]o: ');
  if (/^w/i.test(answer)) return wanted.map((it) => it.replace(/^read:/, 'write:'));
  return /^y/i.test(answer) ? wanted : [];
}

function notes({ notes: lines, secrets }: ServerDraft, args: Arguments, terminal: Terminal): void {
  if (args.has('quiet')) return;
  for (const it of lines) terminal.err(`note: ${visibleLine(it)}\n`);
  if (secrets.length > 0)
    terminal.err(
      `note: ${visibleLine(secrets.join(', '))} will be sealed as a secret; --setting NAME keeps it plain\n`,
    );
}

function absoluteGrant(grant: string, { cwd }: Terminal): string {
  const [, kind, path] = /^(read|write):(.+)$/s.exec(grant) ?? [];
  return kind === undefined || path === undefined ? grant : `${kind}:${resolve(cwd, path)}`;
}
