import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import { withKeptHost } from '../attach.js';
import type { Command } from '../command.js';

export const audit: Command = {
  name: 'audit',
  summary: 'Read the record of all calls, and check that nobody changed it.',
  usage: 'audit verify | tail [COUNT]',
  examples: [
    { line: 'toolport audit verify', text: 'recompute the chain of hashes' },
    { line: 'toolport audit tail', text: 'the newest 20 lines' },
    { line: 'toolport audit tail 100 --json', text: 'for a script, one JSON object a line' },
  ],
  options: [],
  async run(args, terminal) {
    const [verb, count = '20', ...more] = args.positionals;
    if ((verb !== 'verify' && verb !== 'tail') || more.length > 0)
      throw new HostError('usage', 'say verify or tail', { hint: 'see "toolport audit --help"' });
    if (!/^\d{1,6}$/.test(count))
      throw new HostError('usage', `${JSON.stringify(count)} is not a number of lines`);
    return withKeptHost(args, terminal, async (host) => {
      if (verb === 'tail') {
        for (const line of await host.auditTail(Number(count))) {
          terminal.out(
            args.has('json')
              ? `${JSON.stringify(line)}\n`
              : `${visibleLine(`${line.seq}  ${line.at}  ${line.kind.padEnd(8)}  ${JSON.stringify(line.body)}`)}\n`,
          );
        }
        return 0;
      }
      const verdict = await host.verifyAudit();
      if (args.has('json')) terminal.out(`${JSON.stringify({ schema: 'toolport/audit@1', ...verdict })}\n`);
      else if (verdict.ok)
        terminal.out(`the record is whole: ${verdict.entries} lines, each sealing the one before\n`);
      else
        terminal.err(`error: the record was changed: line ${verdict.firstBad} does not fit the one before\n`);
      return verdict.ok ? 0 : 6;
    });
  },
};
