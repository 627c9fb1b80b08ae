import { resolve } from 'node:path';
import type { Installations, Plan, ServerDraft, ServerRequest, ServerTrial } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { errorTable } from '../../errors.js';
import { printChange } from '../../print/change.js';
import { printServer, type ServerPage } from '../../print/server-page.js';
import { visibleLine } from '../../print/visible.js';
import { givenServer, serverOptions } from '../added-server.js';
import { changeProgress } from '../change-progress.js';
import type { Command } from '../command/command.js';
import { dryRunOption, isDryRun } from '../dry-run.js';
import { agreesToPlan } from '../install-agreement.js';
import { collectValues } from '../install-values.js';
import { lifecycleOptions, openLifecycleSession, packageAllow } from '../lifecycle-session.js';
import { choicesOf, chosenGrants, editChoices } from '../server-choices.js';
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
      const { installations } = session;
      const allow = packageAllow(args).map((it) => absoluteGrant(it, terminal));
      const request = { ...server, signal: terminal.signal };
      if (isDry) {
        const { plan, draft } = await planned(request, allow, installations);
        const page = () => printed({ plan, draft, choices: choicesOf([...allow, ...draft.offered]) });
        terminal.out(args.has('json') ? planDocument(plan) : page());
        return 0;
      }
      const by = await terminalOperator(host, args, terminal);
      const onProgress = changeProgress(args, terminal);
      // Who agrees to a digest has seen the plan; a trial could not change it.
      const trial =
        args.has('agree') || args.has('no-trial')
          ? undefined
          : await installations.tryServer({ ...request, allow, by, onProgress });
      const agreed = await agreement(request, allow, trial, installations);
      if (terminal.signal.aborted)
        throw new HostError('canceled', `adding ${server.name} was canceled; nothing was changed`);
      if (agreed === undefined) {
        terminal.err('nothing was changed\n');
        return errorTable.approval_required.exit;
      }
      const { plan, draft } = agreed;
      const asked = {
        ...plan,
        credentials: plan.credentials.filter((it) => draft.values[it.name] === undefined),
      };
      const values = { ...draft.values, ...(await collectValues(asked, installations, args, terminal)) };
      const change = await installations.install({
        ...{ source: draft.source, allow: agreed.allow, agree: plan.digest, values, by, onProgress },
        ...{ signal: terminal.signal, skipSmoke: args.has('skip-smoke') },
      });
      terminal.out(args.has('json') ? changeDocument(change) : printChange(change));
      return 0;
    });

    /** What somebody agreed to; undefined: the person said no. */
    async function agreement(
      request: ServerRequest,
      allow: readonly string[],
      trial: ServerTrial | undefined,
      installations: Installations,
    ): Promise<PlannedServer | undefined> {
      const mayAsk =
        terminal.stdinIsTerminal && !['yes', 'json', 'no-input', 'agree'].some((it) => args.has(it));
      if (mayAsk) return askedAgreement(request, allow, trial, installations);
      const found = await planned(request, allow, installations);
      const wanted = [...found.draft.offered, ...(trial?.hosts ?? [])].filter((it) => !allow.includes(it));
      if (!args.has('quiet')) {
        if (wanted.length > 0)
          terminal.err(`${visibleLine(`not granted: ${wanted.map((it) => `--allow ${it}`).join(' ')}`)}\n`);
        const choices = choicesOf(allow);
        if (!args.has('json')) terminal.out(`${printed({ ...found, trial, choices })}\n`);
      }
      assertRuns(found.plan);
      return (await agreesToPlan(found.plan, args, terminal)) ? found : undefined;
    }

    /** One page and one question. Who edits sees the page again, with what was chosen. */
    async function askedAgreement(
      request: ServerRequest,
      allow: readonly string[],
      trial: ServerTrial | undefined,
      installations: Installations,
    ): Promise<PlannedServer | undefined> {
      const { offered } = await installations.draftServer({ ...request, allow });
      const others = allow.filter((it) => choicesOf([it]).length === 0);
      let choices = choicesOf([...allow, ...offered, ...(trial?.hosts ?? [])]);
      for (;;) {
        const found = await planned(request, [...others, ...chosenGrants(choices)], installations);
        terminal.out(`${printed({ ...found, trial, choices })}\n`);
        assertRuns(found.plan);
        const verb = found.plan.operation === 'update' ? 'Update' : 'Install';
        const edit = choices.length === 0 ? '' : '[e]dit, ';
        const answer = (await terminal.ask(`${verb} with these? [y]es, ${edit}[n]o: `)).trim();
        if (/^y(es)?$/i.test(answer)) return found;
        if (choices.length === 0 || !/^e(dit)?$/i.test(answer)) return undefined;
        choices = await editChoices(choices, terminal);
        if (terminal.signal.aborted) return undefined;
      }
    }

    function printed(page: ServerPage): string {
      return printServer(page, terminalStyle(args, terminal), terminal.columns);
    }
  },
};

interface PlannedServer {
  readonly plan: Plan;
  readonly draft: ServerDraft;
  /** What the plan grants. */
  readonly allow: readonly string[];
}

async function planned(
  request: ServerRequest,
  allow: readonly string[],
  installations: Installations,
): Promise<PlannedServer> {
  const draft = await installations.draftServer({ ...request, allow });
  const { signal } = request;
  return { draft, allow, plan: await installations.plan({ source: draft.source, allow, signal }) };
}

function assertRuns({ blockers, package: { id } }: Plan): void {
  if (blockers.length > 0)
    throw new HostError('runtime_missing', `${id} cannot run here: ${blockers.join('; ')}`);
}

function absoluteGrant(grant: string, { cwd }: Terminal): string {
  const [, kind, path] = /^(read|write):(.+)$/s.exec(grant) ?? [];
  return kind === undefined || path === undefined ? grant : `${kind}:${resolve(cwd, path)}`;
}
