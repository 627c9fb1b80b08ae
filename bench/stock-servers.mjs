// Popular MCP servers, unmodified, added with the command and its defaults, each in a fresh state directory: is it ready, how
// many tools does it announce, and does one call work without network? Packages come from npm's registry; the servers
// run in the sandbox without network. Prints a table and a JSON line. VERBOSE=1 also prints what the commands said.
// Usage: node bench/stock-servers.mjs [PART OF A PACKAGE NAME]… Default: all.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegistry } from './stock-servers/registry.mjs';
import { servers } from './stock-servers/servers.mjs';

const main = process.env.TOOLWHARF_MAIN ?? join(import.meta.dirname, '../dist/main.cjs');
const timeoutMs = 300_000;
const wanted = process.argv.slice(2);
const chosen = servers.filter(
  (it) => wanted.length === 0 || wanted.some((part) => it.package.includes(part)),
);
const folder = mkdtempSync(join(tmpdir(), 'toolwharf-stock-'));
// Sandboxed servers run as another user.
chmodSync(folder, 0o755);
const work = join(folder, 'work');
mkdirSync(work);
// Commands search the current folder for packages.
const empty = join(folder, 'empty');
mkdirSync(empty);
writeFileSync(join(work, 'note.txt'), 'a note\n');

/** Runs the command in the state directory of one server. */
function command(state, args) {
  const env = { ...process.env, TOOLWHARF_HOME: state, HOME: folder };
  const child = spawn(process.execPath, [main, ...args], { env, cwd: empty, timeout: timeoutMs });
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (it) => (stdout += it));
  child.stderr.on('data', (it) => (stderr += it));
  return new Promise((done) =>
    child.once('close', (code) => {
      if (process.env.VERBOSE === '1') process.stderr.write(`> ${args.join(' ')}\n${stderr}${stdout}\n`);
      done({ code, stdout, stderr });
    }),
  );
}

const filled = (value) => JSON.parse(JSON.stringify(value).replaceAll('{work}', work));
const documentOf = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const problemOf = ({ stdout, stderr }) =>
  documentOf(stdout)?.error?.message ?? (stderr || stdout).trim().split('\n').slice(-3).join(' ');

async function tryServer({ package: name, args = [], env = {}, allow = [], call }, index, registry) {
  const state = join(folder, `state-${index}`);
  const id = name.replace(/^@/, '').replace(/[^a-z0-9-]+/g, '-');
  const row = { package: name, version: '', seconds: 0, state: '', tools: 0, call: '–', notRun: [] };
  const started = performance.now();
  const added = await command(state, [
    ...['add', id, '--yes', '--json', '--npm-registry', registry],
    ...allow.flatMap((it) => ['--allow', filled(it)]),
    ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...['--', 'npx', '-y', name, ...filled(args)],
  ]);
  row.seconds = (performance.now() - started) / 1000;
  const change = documentOf(added.stdout);
  row.version = change?.to?.version ?? '';
  row.notRun = (change?.left ?? []).flatMap((it) => /^(\S+) needs a build step/.exec(it)?.[1] ?? []);
  if (added.code !== 0) return { ...row, state: `not added: ${problemOf(added)}` };
  const { stdout } = await command(state, ['list', '--json']);
  const listed = documentOf(stdout)?.packages?.find((it) => it.id === id);
  row.state = listed?.state ?? listed?.status ?? 'not listed';
  row.tools = listed?.tools?.length ?? 0;
  row.listed = listed;
  if (call === undefined) return row;
  const [tool, input, expected] = filled(call);
  const answer = await command(state, ['call', `${id}/${tool}`, JSON.stringify(input), '--json']);
  const isRight = answer.code === 0 && answer.stdout.includes(expected);
  row.call = isRight ? `${tool}: ok` : `${tool}: ${problemOf(answer)}`;
  return row;
}

const registry = await startRegistry();
const rows = [];
try {
  for (const [index, server] of chosen.entries()) {
    const { listed, ...row } = await tryServer(server, index, registry.url);
    rows.push(row);
    if (process.env.VERBOSE === '1') process.stderr.write(`${JSON.stringify(listed)}\n`);
    const notRun = row.notRun.length === 0 ? '' : `  not run: scripts of ${row.notRun.join(', ')}`;
    const columns = [
      `${row.package} ${row.version}`.padEnd(50),
      `${row.seconds.toFixed(1)} s`.padStart(7),
      `${row.tools} tools`.padStart(9),
    ];
    process.stdout.write(`${columns.join('  ')}  ${row.state}  ${row.call}${notRun}\n`);
  }
} finally {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${JSON.stringify({ bench: 'stock-servers', node: process.version, rows })}\n`);
