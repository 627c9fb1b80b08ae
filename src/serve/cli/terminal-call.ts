import type { Answer, Confirmation, RemoteCallRequest, RemoteHost, RemoteSession } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { shellQuote } from '../../model/shell-quote.js';
import { confirmToolName, splitToolName } from '../../model/tool-name.js';
import { errorTable } from '../errors.js';
import { callDocument } from '../print/call-document.js';
import { heldFacts, printFacts } from '../print/held-call.js';
import { visible, visibleLine } from '../print/visible.js';
import { printResult } from './call-result.js';
import type { Arguments } from './command/command.js';
import { terminalOperator } from './terminal/operator.js';
import { withProgress } from './terminal/progress.js';
import type { Terminal } from './terminal/terminal.js';

/** Where a call is made, and who can approve it. */
export interface TerminalCallContext {
  readonly host: RemoteHost;
  readonly session: RemoteSession;
  readonly args: Arguments;
  readonly terminal: Terminal;
  /** Default: `operatorHelp`. */
  readonly help?: ApprovalHelp;
}

/** What a person can do about a held call; lines with their line breaks. */
export interface ApprovalHelp {
  /** How to approve it elsewhere. */
  approve(confirmation: Confirmation): string;
  /** How to stop the question; empty if there is no way. */
  always(confirmation: Confirmation): string;
}

/** For calls on the host of the operator. */
export const operatorHelp: ApprovalHelp = {
  approve: ({ token, url }) =>
    `  approve it: toolwharf approvals approve ${token}\n${url === undefined ? '' : `  or on its page: ${url}\n`}  then make the same call again\n`,
  /** Only a question about the whole package. */
  always({ kind, tool }) {
    if (kind !== 'undeclared_effect') return '';
    const [packageId] = splitToolName(tool);
    return `  always allow this package: toolwharf approvals allow ${shellQuote(packageId)}\n`;
  },
};

/** Calls a tool. At a terminal, asks the person there to approve a held call. */
export async function callAtTerminal(
  request: RemoteCallRequest,
  context: TerminalCallContext,
): Promise<Answer> {
  const { session, args, terminal } = context;
  const answer = await withToolProgress(request.tool, args, terminal, () => session.call(request));
  return askForApproval(answer, request.signal, context);
}

async function askForApproval(
  answer: Answer,
  signal: RemoteCallRequest['signal'],
  { host, session, args, terminal, help = operatorHelp }: TerminalCallContext,
): Promise<Answer> {
  if (
    answer.status !== 'confirmation_required' ||
    args.has('no-input') ||
    // --yes never approves a call.
    args.has('yes') ||
    args.has('json') ||
    !terminal.stdinIsTerminal
  )
    return answer;
  const { token, tool } = answer.confirmation;
  terminal.err(
    `${visibleLine(tool)} needs your approval\n${printFacts(heldFacts(await host.approvals.get(token)), terminal.columns)}`,
  );
  terminal.err(help.always(answer.confirmation));
  const agreed = await terminal.confirm('Run it once?');
  // Ctrl-C is not a decision: the call stays held.
  if (terminal.signal.aborted || signal?.aborted === true) throw new HostError('canceled', 'interrupted');
  if (!agreed) {
    await host.approvals.deny(token, { name: terminal.principal, channel: 'terminal' });
  } else {
    await host.approvals.approve(token, await terminalOperator(host, args, terminal));
  }
  const confirm = { arguments: { confirmation_token: token }, signal };
  return withToolProgress(tool, args, terminal, () => session.call({ ...confirm, tool: confirmToolName }));
}

/** The exit code of a command that made this call. */
export function answerExit(answer: Answer): number {
  if (answer.status === 'ok') return 0;
  return errorTable[answer.status === 'confirmation_required' ? 'approval_required' : answer.error.code].exit;
}

/** Prints an answer for a person, or as one JSON document. */
export function printAnswer(
  answer: Answer,
  args: Arguments,
  terminal: Terminal,
  help: ApprovalHelp = operatorHelp,
): void {
  if (args.has('json')) {
    terminal.out(`${JSON.stringify(callDocument(answer))}\n`);
    return;
  }
  switch (answer.status) {
    case 'ok':
      printResult(answer, args, terminal);
      return;
    case 'confirmation_required': {
      const { reasons } = answer.confirmation;
      terminal.err(`held: ${answer.tool} needs a person's approval: ${visible(reasons.join('; '))}\n`);
      if (args.has('yes')) terminal.err('  --yes never approves a call; approve it by its id\n');
      terminal.err(help.approve(answer.confirmation));
      terminal.err(help.always(answer.confirmation));
      return;
    }
    default: {
      const { message, hint, toolError } = answer.error;
      const details = toolError?.details;
      terminal.err(
        `error: ${visible(message)}\n${details === undefined ? '' : `  details: ${visible(JSON.stringify(details))}\n`}${hint === undefined ? '' : `  ${visible(hint)}\n`}`,
      );
    }
  }
}

function withToolProgress<T>(
  tool: string,
  args: Arguments,
  terminal: Terminal,
  work: () => Promise<T>,
): Promise<T> {
  return args.has('quiet') ? work() : withProgress(`running ${tool}`, terminal, work);
}
