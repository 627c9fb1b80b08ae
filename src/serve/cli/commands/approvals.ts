import type { RemoteHost } from '../../../host/host.js';
import type { ApprovalRequest } from '../../../model/approval.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { requestLimits, tryParseBounded } from '../../../model/json-bounds.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { heldFacts, printFacts } from '../../print/held-call.js';
import { waitingRequestsLine } from '../../print/requested-installation.js';
import { revealJson, revealLine } from '../../print/reveal.js';
import type { Arguments, Command } from '../command/command.js';
import { sessionOptions } from '../config/config.js';
import { dryRunOption, isDryRun, reportDryRun } from '../dry-run.js';
import { expandId } from '../id-prefix.js';
import { allow, listRules, revoke, ruleOptions } from '../rules.js';
import { pinOption, terminalOperator } from '../terminal/operator.js';
import type { Terminal } from '../terminal/terminal.js';
import { withExistingHost } from '../with-host.js';

const verbs = ['list', 'show', 'approve', 'deny', 'allow', 'rules', 'revoke', 'key'];

export const approvals: Command = {
  name: 'approvals',
  summary: 'Approve or deny held calls. Only a person can do this, never an agent.',
  usage:
    'approvals list | show ID | approve ID | deny ID | allow PKG | allow PKG/TOOL --when … | rules | revoke RULE | key',
  examples: [
    { line: 'toolwharf approvals list', text: 'show held calls with all arguments' },
    { line: 'toolwharf approvals approve apr_0f3c…', text: 'let exactly that call run, once' },
    {
      line: `toolwharf approvals approve apr_0f3c… --with '{"to":"alice","amount":5}'`,
      text: 'approve it with other arguments, which are checked like a new call',
    },
    { line: 'toolwharf approvals deny apr_0f3c…', text: 'deny it' },
    {
      line: "toolwharf approvals allow files/save --when path under /reports --when amount '<=' 50 --any text --until 2h",
      text: 'add a standing rule: such calls run without asking',
    },
    {
      line: 'toolwharf approvals allow machine-watch',
      text: 'stop asking about a package only because its manifest does not declare effects',
    },
    { line: 'toolwharf approvals rules', text: 'show standing rules and how often each was used' },
    { line: 'toolwharf approvals revoke rule_91ac…', text: 'end a standing rule: such calls are held again' },
    { line: 'toolwharf approvals key', text: 'print the key that signs notices to approvals.webhook' },
  ],
  options: [
    {
      name: 'with',
      value: 'JSON',
      text: 'approve with these arguments instead; the caller is told which were used',
    },
    {
      name: 'asked',
      value: 'TEXT',
      text: 'what you asked the agent for; the names, addresses and amounts in it need no question later',
    },
    ...ruleOptions,
    pinOption,
    dryRunOption,
    ...sessionOptions,
  ],
  async run(args, terminal) {
    const [verb = 'list', name, ...more] = args.positionals;
    if (!verbs.includes(verb))
      throw new HostError('usage', `unknown subcommand of approvals: ${JSON.stringify(verb)}`, {
        hint: `use ${verbs.join(', ')}`,
      });
    const ruleOption = ruleOptions.find((it) => args.has(it.name));
    if (verb !== 'allow' && ruleOption !== undefined)
      throw new HostError('usage', `--${ruleOption.name} works only with "approvals allow"`);
    if (verb !== 'approve' && args.has('with'))
      throw new HostError('usage', '--with works only with "approvals approve"');
    if (args.has('asked') && (verb !== 'approve' || args.has('with')))
      throw new HostError('usage', '--asked works only with "approvals approve", without --with');
    if (more.length > 0) throw new HostError('usage', 'name one call at a time');
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
  const { requests, waiting } = await withExistingHost(args, terminal, async (host) => ({
    requests: await requestsAfter(host, verb, id, args, terminal),
    waiting: verb === 'list' ? (await host.installRequests.list()).length : 0,
  }));
  const [first] = requests;
  if (isDryRun(args) && first !== undefined && (verb === 'approve' || verb === 'deny'))
    return reportDryRun(
      `${verb} ${first.id}, a call of ${first.tool} that is ${first.state}`,
      args,
      terminal,
    );
  if (args.has('json')) {
    terminal.out(`${JSON.stringify(approvalsDocument(requests))}\n`);
  } else if (verb === 'approve') {
    const request = requests[0] as ApprovalRequest;
    const { tool } = request;
    const callArguments = request.replacement ?? request.arguments;
    terminal.out(
      `approved: ${revealLine(tool)} may run once with these arguments\n${revealJson(callArguments)}\n`,
    );
  } else if (verb === 'deny') {
    terminal.out(`denied: ${(requests[0] as ApprovalRequest).tool} will not run\n`);
  } else {
    // Programs that read the output need unwrapped lines.
    const columns = terminal.stdoutIsTerminal ? terminal.columns : undefined;
    terminal.out(
      requests.length === 0 ? 'no held calls\n' : requests.map((it) => describe(it, columns)).join('\n'),
    );
    if (verb === 'list') terminal.out(waitingRequestsLine(waiting));
  }
  return 0;
}

/** Performs the decision, if any, and returns the requests to show. */
async function requestsAfter(
  host: RemoteHost,
  verb: string,
  id: string | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<readonly ApprovalRequest[]> {
  if (verb === 'list') return host.approvals.list();
  if (id === undefined)
    throw new HostError('usage', `name the call to ${verb}`, { hint: 'see "toolwharf approvals list"' });
  const open = await host.approvals.list();
  const fullId = expandId(
    id,
    'apr_',
    open.map((it) => it.id),
  );
  if (verb === 'show' || isDryRun(args)) return [await host.approvals.get(fullId)];
  if (verb === 'deny')
    return [await host.approvals.deny(fullId, { name: terminal.principal, channel: 'terminal' })];
  // An unknown id and wrong arguments are reported before the person types a PIN.
  await host.approvals.get(fullId);
  const replacement = replacementOf(args.value('with'));
  if (replacement !== undefined)
    return [
      await host.approvals.approveWith(fullId, replacement, await terminalOperator(host, args, terminal)),
    ];
  const operator = await terminalOperator(host, args, terminal);
  return [await host.approvals.approve(fullId, operator, undefined, args.value('asked'))];
}

function replacementOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  const value = tryParseBounded(text, requestLimits);
  if (!isObject(value)) throw new HostError('usage', '--with needs all arguments as a JSON object');
  return value;
}

async function showKey(args: Arguments, terminal: Terminal): Promise<number> {
  const key = await withExistingHost(args, terminal, async (host) =>
    host.approvals.noticeKey(await terminalOperator(host, args, terminal)),
  );
  terminal.out(
    args.has('json') ? `${JSON.stringify({ schema: 'toolwharf/notice-key@1', key })}\n` : `${key}\n`,
  );
  return 0;
}

/** The call in full. Hidden characters are made visible. */
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
