// One client cancels calls at random moments (from a seed). Every other client still gets its own answers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { crew } from '../../support/upstreams/crew.mjs';
import { talos, type Workbench, workbench } from '../../support/workbench.js';

/** Reproducible random numbers from 0 to 1. */
function random(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

const code = `export const handlers = {
  act: ({ text, ms = 0 }) => new Promise((resolve) => setTimeout(() => resolve({ text }), ms)),
};
`;
const kinds = [
  { kind: 'functions in a kept process', id: 'kept', calls: 16, width: 3 },
  { kind: 'an extension', id: 'nexo', calls: 60, width: 12 },
  { kind: 'an MCP server', id: 'mcp', calls: 60, width: 12 },
];
let bench: Workbench;
/** The first two have the same principal and share processes. The third has another principal. */
const clients: Session[] = [];

beforeAll(async () => {
  const files = { ...crew('nexo', 'nexo', 'good'), ...crew('mcp', 'mcp', 'good') };
  bench = await workbench({ ...files, ...talos({ id: 'kept', code, functions: ['act'] }) });
  for (const principal of ['agent', 'agent', 'another']) clients.push(await bench.session({ principal }));
});

afterAll(() => bench?.close());

interface PlannedCall {
  readonly text: string;
  readonly ms: number;
  /** When the client cancels the call; undefined means never. */
  readonly cancelAfterMs?: number;
}

async function make(session: Session, id: string, { text, ms, cancelAfterMs }: PlannedCall) {
  const stop = new AbortController();
  const timer = cancelAfterMs === undefined ? undefined : setTimeout(() => stop.abort(), cancelAfterMs);
  const answer = await session.call({ tool: `${id}/act`, arguments: { text, ms }, signal: stop.signal });
  clearTimeout(timer);
  return answer;
}

describe.each(kinds)('$kind', ({ id, calls, width }) => {
  test.each([1, 20, 333])(
    'with seed %i a canceled call never changes the answer of another call',
    async (seed) => {
      const next = random(seed);
      const plan = (name: string, cancels: boolean): PlannedCall[] =>
        Array.from({ length: calls }, (_, index) => ({
          text: `${name} ${seed} ${index}`,
          ms: Math.floor(next() * 25),
          ...(cancels ? { cancelAfterMs: Math.floor(next() * 40) } : {}),
        }));
      let canceled = 0;
      const work = clients.map(async (session, index) => {
        const cancels = index === 0;
        const planned = plan(`client ${index}`, cancels);
        const lane = async () => {
          for (let one = planned.pop(); one !== undefined; one = planned.pop()) {
            const answer = await make(session, id, one);
            if (cancels && 'error' in answer && answer.error?.code === 'canceled') canceled++;
            else expect(answer, JSON.stringify(one)).toMatchObject({ result: { text: one.text } });
          }
        };
        await Promise.all(Array.from({ length: width }, lane));
      });
      await Promise.all(work);
      // Control: this seed canceled at least one call.
      expect(canceled).toBeGreaterThan(0);
      expect(bench.bugs).toEqual([]);
    },
    30_000,
  );
});
