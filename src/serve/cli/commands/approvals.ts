import type { Host } from '../../../host/host.js';
import type { ApprovalRequest } from '../../../model/approval.js';
import { HostError } from '../../../model/host-error.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { heldFacts, printFacts } from '../../print/held-call.js';
import { revealJson, revealLine } from '../../print/reveal.js';
import type { Arguments } from '../arguments.js';
import { withKeptHost } from '../attach.js';
import type { Command } from '../command.js';
import { sessionOptions } from '../config.js';
import { dryRunOption, isDryRun, tellDryRun } from '../dry-run.js';
import { operatorHere, pinOption } from '../operator.js';
import { allow, listRules, revoke, ruleOptions } from '../rules.js';
import type { Terminal } from '../terminal.js';
import { wholeId } from '../whole-id.js';

const deciding = ['list', 'show', 'approve', 'deny'];
const verbs = [...deciding, 'allow', 'rules', 'revoke', 'key'];

export const approvals: Command = {
  name: 'approvals',
  summary: 'Decide on calls that wait for a person. Only people do this; no agent can.',
  usage:
    'approvals list | show ID | approve ID | deny ID | allow PKG/TOOL --when … | rules | revoke RULE | key',
  examples: [
    { line: 'toolwharf approvals list', text: 'what waits, with all arguments' },
    { line: 'toolwharf approvals approve apr_0f3c…', text: 'let exactly that call run, once' },
    { line: 'toolwharf approvals deny apr_0f3c…', text: 'refuse it' },
    {
      line: "toolwharf approvals allow files/save --when path under /reports --when amount '<=' 50 --any text --until 2h",
      text: 'do not ask for such calls; tests are equals, one-of, under, <=, >= and matches',
    },
    { line: 'toolwharf approvals rules', text: 'which rules hold, and how often each was used' },
    { line: 'toolwharf approvals revoke rule_91ac…', text: 'ask again from now on' },
    { line: 'toolwharf approvals key', text: 'what notices to approvals.webhook are signed with' },
  ],
  options: [...ruleOptions, pinOption, dryRunOption, ...sessionOptions],
  async run(args, terminal) {
    const [verb = 'list', name, ...more] = args.positionals;
    if (!verbs.includes(verb))
      throw new HostError('usage', `approvals has no ${JSON.stringify(verb)}`, {
        hint: `use ${verbs.join(', ')}`,
      });
    const ofRules = ruleOptions.find((it) => args.has(it.name));
    if (verb !== 'allow' && ofRules !== undefined)
      throw new HostError('usage', `--${ofRules.name} belongs to "approvals allow"`);
    if (more.length > 0) throw new HostError('usage', 'decide on one call at a time');
    switch (verb) {
      case 'allow':
        return allow(name, args, terminal);
      case 'rules':
        return listRules(args, terminal);
      case 'revoke':
        return revoke(name, args, terminal);
      case 'key':
        return showKey(args, terminal);
      default:
        return decide(verb, name, args, terminal);
    }
  },
};

async function decide(
  verb: string,
  id: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<number> {
  const requests = await withKeptHost(args, terminal, (host) => outcome(host, verb, id, args, terminal));
  const [first] = requests;
  if (isDryRun(args) && first !== undefined && (verb === 'approve' || verb === 'deny'))
    return tellDryRun(`${verb} ${first.id}, a call of ${first.tool} that is ${first.state}`, args, terminal);
  if (args.has('json')) {
    terminal.out(`${JSON.stringify(approvalsDocument(requests))}\n`);
  } else if (verb === 'approve') {
    const request = requests[0] as ApprovalRequest;
    const { tool, arguments: given } = request;
    terminal.out(`approved: ${revealLine(tool)} may run once with these arguments\n${revealJson(given)}\n`);
  } else if (verb === 'deny') {
    terminal.out(`denied: ${(requests[0] as ApprovalRequest).tool} will not run\n`);
  } else {
    // Whoever reads it by a program wants whole lines.
    const columns = terminal.stdoutIsTerminal ? terminal.columns : undefined;
    terminal.out(
      requests.length === 0
        ? 'nothing waits for a decision\n'
        : requests.map((it) => describe(it, columns)).join('\n'),
    );
  }
  return 0;
}

async function outcome(
  host: Host,
  verb: string,
  id: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly ApprovalRequest[]> {
  if (verb === 'list') return host.approvals.list();
  if (id === undefined)
    throw new HostError('usage', `say which call to ${verb}`, { hint: 'see "toolwharf approvals list"' });
  const open = await host.approvals.list();
  const whole = wholeId(
    id,
    'apr_',
    open.map((it) => it.id),
  );
  if (verb === 'show' || isDryRun(args)) return [await host.approvals.get(whole)];
  if (verb === 'deny')
    return [await host.approvals.deny(whole, { name: terminal.principal, channel: 'terminal' })];
  // Before anybody types a PIN: there must be something to decide.
  await host.approvals.get(whole);
  return [await host.approvals.approve(whole, await operatorHere(host, args, terminal))];
}

async function showKey(args: Arguments, terminal: Terminal): Promise<number> {
  const key = await withKeptHost(args, terminal, async (host) =>
    host.approvals.noticeKey(await operatorHere(host, args, terminal)),
  );
  terminal.out(
    args.has('json') ? `${JSON.stringify({ schema: 'toolwharf/notice-key@1', key })}\n` : `${key}\n`,
  );
  return 0;
}

/** Everything that would run, with nothing hidden in it. */
function describe(request: ApprovalRequest, columns: number | undefined): string {
  const { id, state, tool, principal, expiresAt, decision, voidReason } = request;
  const facts: [string, string][] = [
    ['tool', revealLine(tool)],
    ['asked by', revealLine(principal)],
    ['until', new Date(expiresAt).toISOString()],
    ...(decision === null ? [] : [['decided', revealLine(decisionText(decision))] as [string, string]]),
    ...(voidReason === null ? [] : [['void', revealLine(voidReason)] as [string, string]]),
    ...heldFacts(request),
  ];
  return `${revealLine(`${id}  ${state}`)}\n${printFacts(facts, columns)}`;
}

function decisionText({ by, channel, verified }: NonNullable<ApprovalRequest['decision']>): string {
  return `by ${by}, ${channel}, ${verified ? 'with the PIN' : 'unverified'}`;
}
