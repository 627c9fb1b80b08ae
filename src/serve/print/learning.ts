import type { LearnProposal } from '../../host/host.js';
import { printFacts } from './held-call.js';
import { visibleLine } from './visible.js';

/** What was observed, and what a package would be narrowed to. */
export function printProposal(it: LearnProposal, columns: number | undefined): string {
  const list = (texts: readonly string[], none: string) => visibleLine(texts.join(', ') || none);
  const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const called = Object.entries(it.tools.called).map(([name, count]) => `${name} (${count})`);
  const narrows = (before: string, after: string) => (before === after ? before : `${before}  →  ${after}`);
  const facts: [string, string][] = [
    [
      'observed',
      `${it.observed.calls} ${it.observed.calls === 1 ? 'call' : 'calls'} from ${time(it.observed.since)} to ${time(it.observed.until)}`,
    ],
    ['called', list(called, 'nothing')],
    ['reached', list(it.used.hosts, 'no host')],
    ...(it.used.changed === null || it.current.filesystem !== 'read-write'
      ? []
      : [['changed', list(it.used.changed, 'no files')] as [string, string]]),
    ['network', narrows(list(it.current.network, 'none'), list(it.proposed.network, 'none'))],
    ['files', narrows(it.current.filesystem, it.proposed.filesystem)],
    ...it.removes.map((grant): [string, string] => ['loses', visibleLine(grant)]),
    ...it.missing.map((grant): [string, string] => [
      'denied',
      `${visibleLine(grant)} (grant it with --allow)`,
    ]),
    ...it.unobserved.map((text): [string, string] => ['unknown', text]),
    ...it.warnings.map((text): [string, string] => ['warning', visibleLine(text)]),
  ];
  return `${it.package} ${visibleLine(it.version)}\n${printFacts(facts, columns)}`;
}
