// The official suite: where it comes from, and one run of it.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sortChecks } from './verdict.mjs';

const suite = '@modelcontextprotocol/conformance';
const own = Number(process.versions.node.split('.')[0]) >= 22;
const runtime = `node-${process.platform}-${process.arch}`;
/** Code from elsewhere does not run as root. */
const confined = process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {};

/** Scenarios of the extension for tasks. No revision has them, so they are named one by one. */
const taskScenarios = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** The suite, and a Node to run it where this one is too old. Nothing that is installed may run scripts. */
export function installSuite(place, { suite: version, node }) {
  const wanted = [`${suite}@${version}`, ...(own ? [] : [`${runtime}@${node}`])];
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...wanted];
  const { status } = spawnSync('npm', args, { cwd: place, stdio: 'inherit' });
  if (status !== 0) throw new Error('the suite could not be installed; it needs the package registry');
  return findSuite(place);
}

/** What `installSuite` installed. */
export function findSuite(place) {
  return {
    node: own ? process.execPath : join(place, 'node_modules', runtime, 'bin/node'),
    entry: join(place, 'node_modules', suite, 'dist/index.js'),
  };
}

/** All scenarios of one revision, or of the extension `tasks`, with what became of their checks. */
export async function runSuite({ node, entry }, { url, revision, folder }) {
  const output = join(folder, 'results');
  mkdirSync(output, { recursive: true });
  if (confined.uid !== undefined) chownSync(output, confined.uid, confined.gid);
  const choices =
    revision === 'tasks'
      ? taskScenarios.map((it) => ['--scenario', it])
      : [['--suite', 'all', '--spec-version', revision]];
  let said = '';
  for (const choice of choices) {
    const args = [entry, 'server', '--url', url, ...choice, '--output-dir', output];
    const options = { cwd: output, env: { PATH: process.env.PATH, HOME: output }, ...confined };
    said = await finished(spawn(node, args, options));
  }
  const runs = readResults(output, revision);
  if (runs.length === 0) throw new Error(`the suite left no results for ${revision}:\n${said}`);
  return runs;
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
