// What must hold after a kill and the next start, whatever the instant was.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBench } from './host.mjs';

const Database = createRequire(import.meta.url)('libsql');

/**
 * Starts a host on the state. Returns what is served, as text, and what is wrong. `stopped`: the package is being
 * revoked, so it is not served, and its kill switch can be tried again.
 */
export async function checkState(folder) {
  const problems = [];
  const { host, session } = await openBench(folder);
  let served = 'nothing';
  try {
    const [installed] = await session.installations.list();
    const { packages } = await session.packages();
    if (installed === undefined && packages.length > 0)
      problems.push('a package without installation is served');
    if (installed?.state === 'revoking') {
      served = 'stopped';
      const { status } = await session.call({ tool: 'counter/count', arguments: { text: 'a b c' } });
      if (status === 'ok') problems.push('a package that is being revoked was called');
    } else if (installed !== undefined) {
      const answer = await session.call({ tool: 'counter/count', arguments: { text: 'a b c' } });
      if (answer.status === 'ok')
        served = `${installed.version} ${answer.result.origin} ${answer.result.mark}`;
      else
        problems.push(`the call of ${installed.version} failed: ${JSON.stringify(answer.error ?? answer)}`);
    }
    const { ok, problem } = await host.verifyAudit();
    if (!ok) problems.push(`the audit log is damaged: ${problem}`);
  } finally {
    await host.close();
  }
  problems.push(...checkRows(folder), ...checkFiles(folder), ...(await checkProcesses(folder)));
  return { served, problems };
}

/** Programs of a killed host end with it, or soon after it. */
async function checkProcesses(folder) {
  for (const end = performance.now() + 5000; ; await sleep(100)) {
    const found = readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const isZombie = /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
        return args.includes(folder) && !isZombie ? [`process ${pid} is left: ${args.slice(0, 300)}`] : [];
      } catch {
        return [];
      }
    });
    if (found.length === 0 || performance.now() > end) return found;
  }
}

function rowsOf(folder) {
  const database = new Database(join(folder, 'state', 'toolwharf.db'), { readonly: true });
  const all = (table) => database.prepare(`select * from ${table}`).all();
  const tables = ['installation', 'generation', 'change_journal', 'agreement', 'announcement', 'secret'];
  const rows = Object.fromEntries(tables.map((it) => [it, all(it)]));
  database.close();
  return rows;
}

function checkRows(folder) {
  const rows = rowsOf(folder);
  const problems = rows.change_journal.map((it) => `the journal still has ${it.operation} of ${it.package}`);
  const agreed = rows.generation.map((it) => [JSON.parse(it.agreement).manifest, it.digest]);
  for (const [manifest, digest] of agreed)
    if (!rows.agreement.some((it) => it.manifest === manifest && it.digest === digest))
      problems.push(`the generation at ${manifest} has no agreement`);
  for (const table of ['agreement', 'announcement'])
    for (const { manifest } of rows[table])
      if (!agreed.some(([it]) => it === manifest)) problems.push(`the ${table} for ${manifest} is left`);
  const [installation] = rows.installation;
  if (installation === undefined && rows.generation.length > 0) problems.push('generations are left');
  if (installation === undefined && rows.secret.length > 0) problems.push('a secret is left');
  if (installation?.state === 'active' && rows.secret.length !== 1) problems.push('the secret is missing');
  if (rows.generation.length > 3) problems.push(`${rows.generation.length} generations are kept`);
  if (installation !== undefined && !rows.generation.some((it) => it.number === installation.current))
    problems.push('the served generation does not exist');
  return problems;
}

const listing = (path) => (existsSync(path) ? readdirSync(path).sort() : []);

function checkFiles(folder) {
  const { generation } = rowsOf(folder);
  const problems = [];
  const state = join(folder, 'state');
  const same = (what, found, wanted) => {
    const expected = [...new Set(wanted)].sort();
    if (JSON.stringify(found) !== JSON.stringify(expected))
      problems.push(
        `${what}: found ${found.join(', ') || 'none'}; expected ${expected.join(', ') || 'none'}`,
      );
  };
  same(
    'trees',
    listing(join(state, 'store', 'trees')),
    generation.map((it) => it.tree),
  );
  same('staging', listing(join(state, 'store', 'staging')), []);
  same('sources', listing(join(state, 'sources')), []);
  const environments = join(state, 'environments');
  const places = new Set(generation.flatMap((it) => JSON.parse(it.environments)));
  same('builds', listing(join(environments, 'building')), []);
  same(
    'locks',
    listing(join(environments, 'locks')).map((it) => join(environments, 'locks', it)),
    places,
  );
  const count = listing(join(environments, 'installed')).length;
  if (count !== places.size) problems.push(`${count} environments for ${places.size} locks`);
  if (generation.length === 0) same('data', listing(join(state, 'data')), []);
  return problems;
}
