import type { ApprovalRequest } from '../../../model/approval.js';
import { HostError } from '../../../model/host-error.js';
import { approvalsDocument } from '../../print/approval-document.js';
import { visible } from '../../print/visible.js';
import { withKeptHost } from '../attach.js';
import type { Command } from '../command.js';

export const approvals: Command = {
  name: 'approvals',
  summary: 'Decide on calls that wait for a person. Only people do this; no agent can.',
  usage: 'approvals list | show ID | approve ID | deny ID',
  examples: [
    { line: 'toolport approvals list', text: 'what waits, with all arguments' },
    { line: 'toolport approvals approve apr_0f3c…', text: 'let exactly that call run, once' },
    { line: 'toolport approvals deny apr_0f3c…', text: 'refuse it' },
  ],
  options: [],
  async run(args, terminal) {
    const [verb = 'list', id, ...more] = args.positionals;
    if (!['list', 'show', 'approve', 'deny'].includes(verb))
      throw new HostError('usage', `approvals has no ${JSON.stringify(verb)}`, {
        hint: 'use list, show, approve or deny',
      });
    if (more.length > 0) throw new HostError('usage', 'decide on one call at a time');
    const requests = await withKeptHost(args, terminal, async (host): Promise<readonly ApprovalRequest[]> => {
      if (verb === 'list') return host.approvals.list();
      if (id === undefined)
        throw new HostError('usage', `say which call to ${verb}`, { hint: 'see "toolport approvals list"' });
      if (verb === 'show') return [await host.approvals.get(id)];
      return [await host.approvals[verb as 'approve' | 'deny'](id, terminal.principal)];
    });
    if (args.has('json')) {
      terminal.out(`${JSON.stringify(approvalsDocument(requests))}\n`);
    } else if (verb === 'approve') {
      const request = requests[0] as ApprovalRequest;
      terminal.out(`approved: ${request.tool} may run once with these arguments
${visible(JSON.stringify(request.arguments, null, 2))}
`);
    } else if (verb === 'deny') {
      terminal.out(`denied: ${(requests[0] as ApprovalRequest).tool} will not run\n`);
    } else {
      terminal.out(
        requests.length === 0 ? 'nothing waits for a decision\n' : requests.map(describe).join('\n'),
      );
    }
    return 0;
  },
};

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Everything that would run, with nothing hidden in it. */
function describe(request: ApprovalRequest): string {
  return visible(
    [
      `${request.id}  ${request.state}`,
      `  tool       ${request.tool}`,
      `  asked by   ${request.principal}`,
      `  because    ${request.reasons.join('; ')}`,
      `  until      ${time(request.expiresAt)}`,
      `  arguments  ${JSON.stringify(request.arguments, null, 2).replaceAll('\n', '\n             ')}`,
      '',
    ].join('\n'),
  );
}
