// The official conformance suite against "toolwharf serve". It and a Node that can run it come from the package registry
// into a temporary folder, so this is not part of "npm test".
//   node scripts/conformance.mjs           compares with test/conformance/expected.json
//   node scripts/conformance.mjs --write   also writes docs/conformance.md
//   … --only REVISION                      one revision, without comparing the others
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openForward } from '../test/conformance/forward.mjs';
import { compare, sortChecks, totals } from '../test/conformance/verdict.mjs';

const suite = '@modelcontextprotocol/conformance';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const served = ['test/conformance/packages', 'examples/findagent/review-skills'];
const expected = JSON.parse(readFileSync(join(root, 'test/conformance/expected.json'), 'utf8'));
const { values } = parseArgs({ options: { write: { type: 'boolean' }, only: { type: 'string' } } });
const revisions = Object.keys(expected.scenarios).filter((it) => (values.only ?? it) === it);
/** Code from elsewhere does not run as root. */
const confined = process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {};

const place = mkdtempSync(join(tmpdir(), 'toolwharf-conformance-'));
chmodSync(place, 0o755);
try {
  process.exitCode = await main();
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function main() {
  if (revisions.length === 0) throw new Error(`${values.only} is none of ${Object.keys(expected.scenarios)}`);
  const node = install();
  const runs = [];
  for (const revision of revisions) runs.push(...(await runRevision(node, revision)));
  const lines = table(runs);
  console.log(`\n${lines.join('\n')}\n`);
  const { unexpected, stale, miscounted } = compare(runs, {
    scenarios: Object.fromEntries(revisions.map((it) => [it, expected.scenarios[it]])),
    failures: expected.failures.map((it) => ({
      ...it,
      revisions: it.revisions.filter((revision) => revisions.includes(revision)),
    })),
  });
  for (const it of unexpected) console.log(`failed unexpectedly: ${it}${why(runs, it)}`);
  for (const it of stale) console.log(`passed, but was expected to fail: ${it}`);
  for (const it of miscounted) console.log(`${it}: the list of scenarios has changed`);
  const good = unexpected.length + stale.length + miscounted.length === 0;
  console.log(good ? 'As expected.' : 'Fix the server, or test/conformance/expected.json.');
  if (good && values.write && values.only === undefined) {
    writeFileSync(join(root, 'docs/conformance.md'), page(lines, runs));
    console.log('docs/conformance.md is written.');
  }
  return good ? 0 : 1;
}

/** The suite, and a Node to run it where this one is too old. Nothing that is installed may run scripts. */
function install() {
  const own = Number(process.versions.node.split('.')[0]) >= 22;
  const runtime = `node-${process.platform}-${process.arch}`;
  const wanted = [`${suite}@${expected.suite}`, ...(own ? [] : [`${runtime}@${expected.node}`])];
  console.log(`installing ${wanted.join(' and ')}`);
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...wanted];
  const { status } = spawnSync('npm', args, { cwd: place, stdio: 'inherit' });
  if (status !== 0) throw new Error('the suite could not be installed; it needs the package registry');
  return own ? process.execPath : join(place, 'node_modules', runtime, 'bin/node');
}

/** Each revision gets a server of its own, so that held calls of one do not affect the next. */
async function runRevision(node, revision) {
  const state = join(place, `state-${revision}`);
  const output = join(place, `results-${revision}`);
  mkdirSync(state);
  mkdirSync(output);
  if (confined.uid !== undefined) chownSync(output, confined.uid, confined.gid);
  const agentToken = createApproverToken(state);
  const server = await serve(state);
  const forward = await openForward({ ...server.start, agentToken });
  try {
    const entry = join(place, 'node_modules', suite, 'dist/index.js');
    const choice = ['--suite', 'all', '--spec-version', revision];
    const args = [entry, 'server', '--url', forward.url, ...choice, '--output-dir', output];
    const said = await finished(
      spawn(node, args, { cwd: output, env: { PATH: process.env.PATH, HOME: output }, ...confined }),
    );
    const runs = readResults(output, revision);
    if (runs.length === 0) throw new Error(`the suite left no results for ${revision}:\n${said}`);
    return runs;
  } finally {
    await forward.close();
    await server.close();
  }
}

/** The suite answers our questions about held calls, which only a client that may approve gets. */
function createApproverToken(state) {
  const args = ['dist/main.cjs', 'token', 'create', 'suite', '--may-approve', '--json', '--state', state];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error('the token for the suite could not be created');
  return JSON.parse(stdout).token;
}

async function serve(state) {
  const args = ['dist/main.cjs', 'serve', ...served, '--port', '0', '--json', '--state', state];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise((resolve, reject) => {
    lines.once('line', resolve);
    ended.then((code) => reject(new Error(`toolwharf serve ended with ${code}; was it built?`)));
  });
  lines.on('line', () => {});
  const start = JSON.parse(first);
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const unfit = start.packages.filter((it) => it.state !== 'ready');
  if (unfit.length > 0) {
    await close();
    throw new Error(`packages of the test are not ready: ${JSON.stringify(unfit)}`);
  }
  return { start, close };
}

async function finished(child) {
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return Buffer.concat(chunks).toString('utf8').slice(-4000);
}

function readResults(output, revision) {
  const folders = readdirSync(output).filter((it) => /^server-.*-\d{4}-\d\d-\d\dT[\d-]+Z$/.test(it));
  return folders.sort().map((folder) => {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const checks = JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8'));
    const messages = Object.fromEntries(checks.map((it) => [it.id, it.errorMessage]));
    return { revision, scenario, messages, ...sortChecks(checks) };
  });
}

function why(runs, line) {
  const [revision, scenario, check] = line.split(' ');
  const message = runs.find((it) => it.revision === revision && it.scenario === scenario)?.messages[check];
  return message === undefined ? '' : `\n    ${message.slice(0, 400)}`;
}

function table(runs) {
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

function page(lines, runs) {
  const reasons = new Map();
  for (const { scenario, checks, revisions: of, reason } of expected.failures) {
    const entry = `- \`${scenario}\` (${of.join(', ')}): ${checks.map((it) => `\`${it}\``).join(', ')}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), entry]);
  }
  const passed = [...new Set(runs.map((it) => it.scenario))]
    .filter((name) => runs.every((it) => it.scenario !== name || it.missed.length === 0))
    .sort();
  return [
    '# Conformance',
    '',
    'Results of the official MCP conformance suite for `toolwharf serve` over HTTP. `npm run conformance` compares a run with the',
    'expected results; with `-- --write` it also writes this page. It needs the package registry and is not part of `npm test`.',
    '',
    `Suite ${expected.suite}, Node ${expected.node} for the suite, ${process.version} for the server, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    ...lines,
    '',
    'A scenario passes if all its checks pass; warnings and skipped checks count as not passed. The suite needs tools and prompts',
    'with certain names. `test/conformance/packages` provides them as ordinary packages, as far as a package can. Everything that',
    'does not pass is listed below with the reason. `test/conformance/expected.json` is that list. A run fails if its failures',
    'differ from the list.',
    '',
    'Notes about these numbers:',
    '',
    '- Every scenario also checks all messages against the schema of the protocol. These checks count as passed even if the',
    '  scenario fails, so the number of scenarios says more than the number of checks.',
    '- The suite cannot send a token. `test/conformance/forward.mjs` adds the token of an agent that may approve, on loopback. It also disables and',
    '  enables a package when the suite expects a list to change. Everything else is passed on unchanged.',
    '- `tools-call-elicitation` and `input-required-result-request-state` answer our question with other fields. That is not an',
    '  approval, so the call is denied, and the scenario passes with this answer.',
    '- The scenarios for protocol extensions (tasks, skills) do not run, because none is declared.',
    '',
    '## Passed in every revision that has it',
    '',
    passed.map((it) => `\`${it}\``).join(', '),
    '',
    '## Not passed',
    '',
    ...[...reasons].flatMap(([reason, entries]) => [reason, '', ...entries, '']),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}
