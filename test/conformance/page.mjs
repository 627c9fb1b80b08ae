// docs/conformance.md from the results. Pure: the script writes it.
import { totals } from './verdict.mjs';

/** One line a revision. */
export function tableOf(runs) {
  const rows = totals(runs).map((it) => [
    it.revision,
    `${it.passed} of ${it.scenarios}`,
    String(it.checks),
    String(it.missed),
  ]);
  const head = ['revision', 'scenarios passed', 'checks passed', 'not passed'];
  const widths = head.map((it, at) => Math.max(it.length, ...rows.map((row) => row[at].length)));
  const line = (cells) => `| ${cells.map((it, at) => it.padEnd(widths[at])).join(' | ')} |`;
  return [line(head), line(widths.map((it) => '-'.repeat(it))), ...rows.map(line)];
}

export function conformancePage({ suite, node }, parts) {
  const today = new Date().toISOString().slice(0, 10);
  return [
    '# Conformance',
    '',
    'Results of the official MCP conformance suite for `toolwharf serve` over HTTP. `npm run conformance` compares a run with the',
    'expected results; with `-- --write` it also writes this page. It needs the package registry and is not part of `npm test`.',
    '',
    `Suite ${suite}, Node ${node} for the suite, ${process.version} for the server, ${today}.`,
    '',
    ...notes,
    ...parts.flatMap(section),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

const notes = [
  'A scenario passes if all its checks pass; warnings and skipped checks count as not passed. The suite needs tools and prompts',
  'with certain names. Everything that does not pass is listed below with the reason. `test/conformance/expected.json` is that',
  'list. A run fails if its failures differ from the list.',
  '',
  '- As a server: `test/conformance/packages` has what the suite looks for as ordinary packages, as far as a package can.',
  '- In front of MCP servers: `test/conformance/gateway` has a server with everything that the suite looks for, written with',
  '  the official SDK, and `test/support/upstreams/task-server.mjs` has the tools of the tasks extension. The host starts both',
  '  in the sandbox, over stdio. `agent.server_requests` allows sampling and roots. The package of the server is called `test`,',
  '  so the ordinary names of its tools and prompts are those of the suite. A set renames the others.',
  '',
  'Notes about these numbers:',
  '',
  '- Every scenario also checks all messages against the schema of the protocol. These checks count as passed even if the',
  '  scenario fails, so the number of scenarios says more than the number of checks.',
  '- The suite cannot send a token. `test/conformance/forward.mjs` adds the token of an agent that may approve, on loopback.',
  '  As a server, it also disables and enables a package when the suite expects a list to change. In `server-sse-polling` it',
  '  ends the response of the call after its first event, as a proxy with a short timeout does. Everything else is passed on',
  '  unchanged.',
  '- The suite calls tools with values that earlier answers repeat, all in one session. Its labels would hold such calls, so',
  '  `taint.mode` is `observe` here.',
  '- As a server, `tools-call-elicitation` and `input-required-result-request-state` answer our question with other fields. That',
  '  is not an approval, so the call is denied, and the scenario passes with this answer.',
  '- `tasks` are the scenarios of the extension `io.modelcontextprotocol/tasks`. Those of the extension for skills do not run here.',
  '',
];

function section({ title, runs, failures }) {
  const reasons = new Map();
  for (const { scenario, checks, revisions: of, reason } of failures) {
    const entry = `- \`${scenario}\` (${of.join(', ')}): ${checks.map((it) => `\`${it}\``).join(', ')}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), entry]);
  }
  const passed = [...new Set(runs.map((it) => it.scenario))]
    .filter((name) => runs.every((it) => it.scenario !== name || it.missed.length === 0))
    .sort();
  return [
    `## ${title}`,
    '',
    ...tableOf(runs),
    '',
    `Passed in every revision that has it: ${passed.map((it) => `\`${it}\``).join(', ')}`,
    '',
    ...(reasons.size === 0 ? [] : ['Not passed:', '']),
    ...[...reasons].flatMap(([reason, entries]) => [reason, '', ...entries, '']),
  ];
}
