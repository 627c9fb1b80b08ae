// The table, one JSON line, and what is not met.
import { goalLines } from './same-work-report.mjs';

const fixed = (value, digits, width) =>
  (value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits)).padStart(width);

export function report({ results, pipes, skipped, rounds, at, median, load, cores, idle, sameWork }) {
  const rate = (it) => 1000 / median(it.one.times);
  const rows = Object.entries(results).map(([name, it]) => ({
    name,
    p50: median(it.one.times),
    p99: at(it.one.times, 0.99),
    cpu: it.one.cpu / it.one.calls,
    cpu64: it[64].cpu / it[64].calls,
    rate1: rate(it),
    rate16: median(it[16].rates),
    rate64: median(it[64].rates),
    start: median(it.start),
    pss: median(it.pss),
    rss: median(it.rss),
    list: median(it.list),
    fan: median(it.fan),
    ...(it.fanFirst === undefined ? {} : { fanFirst: it.fanFirst }),
  }));
  const lines = Object.entries(pipes).map(([name, it]) => ({
    name,
    p50: median(it.calls.times),
    p99: at(it.calls.times, 0.99),
    cpu: it.calls.cpu / it.calls.calls,
    start: median(it.start),
    ...(it.startDown === undefined ? {} : { startDown: median(it.startDown) }),
  }));
  const floor = rows.find(({ name }) => name === 'floor');
  const pipeFloor = lines.find(({ name }) => name === 'floor');
  const ours = rows.find(({ name }) => name === 'toolwharf');
  const ourPipe = lines.find(({ name }) => name === 'toolwharf');
  const peers = rows.filter(({ name }) => name !== 'floor' && name !== 'toolwharf');
  const hub = rows.find(({ name }) => name === 'mcp-hub');

  const out = [];
  out.push(
    ...sameWork.lines,
    '',
    `gateways to a tiny echo tool, ${rounds} interleaved rounds, loopback, ${cores} cores, Node ${process.versions.node}, load ${load.map((it) => it.toFixed(1)).join(' → ')}`,
    'A kept function, which is not the same work: Toolwharf checks a token, validates, records and calls a function kept in a sandbox; the others pass',
    'the call to a plain stdio server. Calls run in sessions of 2025-11-25 (mcp-hub: its older event stream). CPU is that of',
    'the gateway process (over stdio: shim and host), not of the tool behind it or of the load.',
    '',
    'HTTP → tool     p50 ×   CPU × | p50 ms  p99 ms  CPU µs  µs@64 |   1/s  16/s  64/s',
  );
  for (const it of rows)
    out.push(
      `  ${it.name.padEnd(13)}${fixed(it.p50 / floor.p50, 2, 6)}${fixed(it.cpu / floor.cpu, 2, 8)} |${fixed(it.p50, 2, 7)}${fixed(it.p99, 2, 8)}${fixed(it.cpu, 0, 8)}${fixed(it.cpu64, 0, 7)} |${fixed(it.rate1, 0, 6)}${fixed(it.rate16, 0, 6)}${fixed(it.rate64, 0, 6)}`,
    );
  out.push('', 'stdio → tool    p50 ×   CPU × start × | p50 ms  p99 ms  CPU µs  start → tools/list ms');
  for (const it of lines) {
    const down = it.startDown === undefined ? '' : ` host up, ${it.startDown.toFixed(0)} host down`;
    out.push(
      `  ${it.name.padEnd(13)}${fixed(it.p50 / pipeFloor.p50, 2, 6)}${fixed(it.cpu / pipeFloor.cpu, 2, 8)}${fixed(it.start / pipeFloor.start, 2, 8)} |${fixed(it.p50, 2, 7)}${fixed(it.p99, 2, 8)}${fixed(it.cpu, 0, 8)}${fixed(it.start, 0, 8)}${down}`,
    );
  }
  out.push(
    '',
    `HTTP, rest    start ×  list × | start → tools/list ms  idle PSS  RSS MiB | ${idle + 1} tools: list ms  50 upstreams: start → list ms`,
  );
  for (const it of rows)
    out.push(
      `  ${it.name.padEnd(13)}${fixed(it.start / floor.start, 2, 6)}${fixed(it.list / floor.list, 2, 8)} |${fixed(it.start, 0, 22)}${fixed(it.pss, 0, 10)}${fixed(it.rss, 0, 9)} |${fixed(it.list, 1, 20)}${fixed(it.fan, 0, 17)}`,
    );
  out.push(
    '  PSS is that of the gateway process; pages of Node itself are shared with every other Node that runs. The list of',
    '  Toolwharf comes from 50 packages, that of the others from one server. The official SDK keeps a session.',
    `  The 50 upstreams are 50 stdio servers with 1,000 tools between them, for Toolwharf confined. It lists what they said the first`,
    `  time (${fixed(ours.fanFirst, 0, 0)} ms) and starts those that are called; the others start all of them each time.`,
  );
  for (const [name, why] of Object.entries(skipped)) out.push(`  SKIPPED ${name}: ${why}`);

  const goals = [];
  const goal = (text, value, most) => goals.push({ text, value, most, met: value <= most });
  const best = (read) => Math.min(...peers.map(read));
  goal('HTTP p50, × floor', ours.p50 / floor.p50, 1.5);
  goal('HTTP CPU, × floor', ours.cpu / floor.cpu, 3);
  if (peers.length > 0) goal('HTTP CPU, × the best peer', ours.cpu / best((it) => it.cpu), 0.5);
  if (hub !== undefined) goal('64 at once: mcp-hub, × Toolwharf', hub.rate64 / ours.rate64, 0.5);
  goal('stdio p50, × floor', ourPipe.p50 / pipeFloor.p50, 1.3);
  goal('stdio CPU, × floor', ourPipe.cpu / pipeFloor.cpu, 3);
  goal('stdio start, host up, × floor', ourPipe.start / pipeFloor.start, 1.5);
  goal('stdio start, host down, × floor', ourPipe.startDown / pipeFloor.start, 1.5);
  goal('HTTP start, × floor', ours.start / floor.start, 1.5);
  if (peers.length > 0) goal('HTTP start, × the best peer', ours.start / best((it) => it.start), 1);
  goal('idle memory, MiB PSS', ours.pss, 60);
  goal(`list of ${idle + 1} tools, × floor`, ours.list / floor.list, 1.2);
  if (peers.length > 0)
    goal(`list of ${idle + 1} tools, × the best peer`, ours.list / best((it) => it.list), 1);
  goal('50 upstreams, start → list, × floor', ours.fan / floor.fan, 0.3);
  out.push('', 'goals');
  goals.unshift(...sameWork.goals);
  out.push(...goalLines(goals));
  console.log(out.join('\n'));
  console.log(
    JSON.stringify({
      bench: 'gateway',
      node: process.versions.node,
      rounds,
      cores,
      load,
      sameWork: sameWork.json,
      http: rows,
      stdio: lines,
      skipped,
      goals,
    }),
  );
}
