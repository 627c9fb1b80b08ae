// One host with fifty upstreams; twenty of them misbehave in several ways, and the others are not affected.
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { pause, running, sandboxed } from '../../support/processes.js';
import { until } from '../../support/toolwharf.js';
import { crew, type Manner } from '../../support/upstreams/crew.mjs';
import { resultOf, type Workbench, workbench } from '../../support/workbench.js';

const bad: readonly Manner[] = ['crash', 'hang', 'flood', 'garbage'];
const badOfEach = 5;
const goodOnes = 30;
/** Pause between two calls of a misbehaving upstream. */
const pauseMs = 600;
const rounds = 5;
const callsARound = 90;
const mebibyte = 1024 * 1024;

const names: Record<'good' | 'bad', string[]> = { good: [], bad: [] };
let bench: Workbench;
let session: Session;
const before = { descriptors: 0, rss: 0 };

/** Pipes and sockets of this process. Files do not count: the number of upstreams does not matter for them. */
const descriptors = () =>
  readdirSync('/proc/self/fd').filter((it) => {
    try {
      return /^(?:pipe|socket):/.test(readlinkSync(`/proc/self/fd/${it}`));
    } catch {
      return false;
    }
  }).length;

beforeAll(async () => {
  const files: Record<string, string> = {};
  const add = (manner: Manner, count: number) => {
    for (let index = 0; index < count; index++) {
      const protocol = index % 2 === 0 ? 'nexo' : 'mcp';
      const id = `${protocol}-${manner}-${index}`;
      Object.assign(files, crew(protocol, id, manner));
      names[manner === 'good' ? 'good' : 'bad'].push(id);
    }
  };
  add('good', goodOnes);
  for (const manner of bad) add(manner, badOfEach);
  // A first host shows how many descriptors stay open in this process. Later there must not be more.
  const first = await workbench(crew('mcp', 'first', 'good'));
  await resultOf((await first.session()).call({ tool: 'first/act', arguments: {} }));
  await first.close();
  before.descriptors = descriptors();
  bench = await workbench(files);
  session = await bench.session();
  expect(await session.tools()).toHaveLength(goodOnes + bad.length * badOfEach);
}, 60_000);

afterAll(() => bench?.close());

/** Calls the good upstreams in turn; each call must get its own answer. */
async function callGood(round: number, into: number[]): Promise<void> {
  for (let count = 0; count < callsARound; count++) {
    const id = names.good[count % goodOnes] as string;
    const text = `${round}.${count}`;
    const from = performance.now();
    const result = await resultOf(session.call({ tool: `${id}/act`, arguments: { text } }));
    into.push(performance.now() - from);
    expect(result).toMatchObject({ text });
  }
}

/** Calls every misbehaving upstream repeatedly until stopped, and counts the outcomes. */
function callBad(codes: Map<string, number>): () => Promise<void> {
  const loops = names.bad.map((id, index) => {
    const { signal, abort } = abortable();
    const work = async () => {
      for (let count = 0; !signal.aborted; count++) {
        // Real callers do not all start at the same moment.
        await pause(count === 0 ? index * 25 : pauseMs);
        const call = { tool: `${id}/act`, arguments: { text: 'x' }, timeoutMs: 500, signal };
        const answer = await session.call(call);
        const code = 'error' in answer ? answer.error?.code : answer.status;
        const key = `${id.replace(/^.*?-(.*)-.*$/, '$1')}: ${code}`;
        codes.set(key, (codes.get(key) ?? 0) + 1);
      }
    };
    return { over: work(), abort };
  });
  return async () => {
    for (const { abort } of loops) abort();
    await Promise.all(loops.map((it) => it.over));
  };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

function p95(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] as number;
}

test('thirty good upstreams keep their latency while twenty others misbehave', async () => {
  const quiet: number[] = [];
  const noisy: number[] = [];
  const codes = new Map<string, number>();
  await callGood(-1, []);
  before.rss = process.memoryUsage().rss;
  let most = 0;
  for (let round = 0; round < rounds; round++) {
    await callGood(round, quiet);
    const stopBad = callBad(codes);
    await callGood(round, noisy);
    most = Math.max(most, process.memoryUsage().rss);
    await stopBad();
  }
  const summary = `quiet ${p95(quiet).toFixed(1)} ms, noisy ${p95(noisy).toFixed(1)} ms; ${JSON.stringify([...codes])}`;
  expect(p95(noisy), summary).toBeLessThanOrEqual(3 * p95(quiet));
  expect(most - before.rss, summary).toBeLessThan(200 * mebibyte);
  // All misbehaving upstreams were called, none of them succeeded, and no failure was internal to the host.
  for (const manner of bad) expect(summary).toContain(`"${manner}: `);
  expect(summary).not.toMatch(/: (?:ok|internal)"/);
  expect(bench.bugs).toEqual([]);
}, 60_000);

test('no process and no descriptor is left after the host closes', async () => {
  expect(running().length).toBeGreaterThanOrEqual(goodOnes);
  const from = performance.now();
  await bench.host.close();
  expect(performance.now() - from).toBeLessThan(10_000);
  expect(sandboxed(process.pid)).toEqual([]);
  await until(() => descriptors() <= before.descriptors + 2);
}, 30_000);
