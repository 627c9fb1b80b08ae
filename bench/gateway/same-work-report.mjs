// The table of the same-work rows, and their goals: ratios to mcp-hub, and what stdio adds.
import { at, median } from './machine.mjs';
import { modes } from './same-work.mjs';

const fixed = (value, digits, width) =>
  (value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits)).padStart(width);

const limits = {
  call: { p50: 1.4, cpu: 0.8, rate: 1.5, memory: 1, added: 0.6 },
  group: { p50: 1, cpu: 0.7, rate: 1.6, memory: 1, added: 0.4 },
};

const summary = (name, it) => ({
  name,
  p50: median(it.one.times),
  p99: at(it.one.times, 0.99),
  cpu: it.one.cpu / it.one.calls,
  ...(it[64].calls === 0
    ? {}
    : {
        rate64: median(it[64].rates),
        cpu64: it[64].cpu / it[64].calls,
        rss: median(it.rss),
        pss: median(it.pss),
      }),
});

export const goalLines = (goals) =>
  goals.map(({ text, value, met, ...limit }) => {
    const bound = 'least' in limit ? `≥ ${limit.least}` : `≤ ${limit.most}`;
    return `  ${met ? 'met    ' : 'NOT MET'} ${value.toFixed(2).padStart(6)}  (${bound})  ${text}`;
  });

export function sameWorkReport({ http, stdio }, { rounds }) {
  const rows = Object.entries(http).map(([name, it]) => summary(name, it));
  const pipes = Object.entries(stdio).map(([name, it]) => summary(name, it));
  const find = (list, name) => list.find((it) => it.name === name);
  const hub = find(rows, 'mcp-hub');
  const direct = find(pipes, 'direct');
  const lines = [
    `the same work: client → gateway → one stdio MCP server, ${rounds} alternating rounds. Toolwharf with everything on, in both modes`,
    'of audit.durability. CPU and memory are those of the gateway, without the server behind it. 2026: calls of 2026-07-28.',
    '',
    'HTTP → stdio server       p50 × hub  CPU × hub  64 × hub | p50 ms  p99 ms  CPU µs  µs@64   64/s  RSS MiB  PSS MiB',
    ...rows.map(
      (it) =>
        `  ${it.name.padEnd(24)}${fixed(it.p50 / hub?.p50, 2, 9)}${fixed(it.cpu / hub?.cpu, 2, 11)}${fixed(it.rate64 / hub?.rate64, 2, 10)} |${fixed(it.p50, 2, 7)}${fixed(it.p99, 2, 8)}${fixed(it.cpu, 0, 8)}${fixed(it.cpu64, 0, 7)}${fixed(it.rate64, 0, 7)}${fixed(it.rss, 0, 9)}${fixed(it.pss, 0, 9)}`,
    ),
    '',
    'stdio → stdio server      added ms | p50 ms  p99 ms  CPU µs',
    ...pipes.map(
      (it) =>
        `  ${it.name.padEnd(24)}${fixed(it.p50 - direct.p50, 2, 8)} |${fixed(it.p50, 2, 7)}${fixed(it.p99, 2, 8)}${fixed(it.cpu, 0, 8)}`,
    ),
  ];
  const goals = modes.flatMap((mode) => {
    const limit = limits[mode];
    const added = ['', ', 2026'].map((era) => ({
      text: `${mode}${era}: stdio → stdio server, p50 added, ms`,
      value: find(pipes, `toolwharf, ${mode}${era}`).p50 - direct.p50,
      most: limit.added,
    }));
    const perEra = ['', ', 2026'].flatMap((era) => {
      const ours = find(rows, `toolwharf, ${mode}${era}`);
      if (hub === undefined || ours === undefined) return [];
      const text = `${mode}${era}: HTTP → stdio server`;
      return [
        { text: `${text}, p50 × mcp-hub`, value: ours.p50 / hub.p50, most: limit.p50 },
        { text: `${text}, CPU × mcp-hub`, value: ours.cpu / hub.cpu, most: limit.cpu },
        { text: `${text}, 64 at once × mcp-hub`, value: ours.rate64 / hub.rate64, least: limit.rate },
        { text: `${text}, memory under load × mcp-hub`, value: ours.rss / hub.rss, most: limit.memory },
      ];
    });
    return [...perEra, ...added];
  });
  return {
    lines,
    goals: goals.map((it) => ({ ...it, met: 'least' in it ? it.value >= it.least : it.value <= it.most })),
    json: { http: rows, stdio: pipes },
  };
}
