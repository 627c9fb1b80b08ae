// One client gives calls up at moments that a seed chooses; what another is answered is always its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../src/index.js';
import { crew } from './upstreams/crew.mjs';
import { talos, type Workbench, workbench } from './workbench.js';

/** Numbers from 0 to 1 that a seed determines. */
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
  { kind: 'kept functions', id: 'kept', calls: 16, width: 3 },
  { kind: 'an extension', id: 'nexo', calls: 60, width: 12 },
  { kind: 'an MCP server', id: 'mcp', calls: 60, width: 12 },
];
let bench: Workbench;
/** Two of the same caller share processes; the third is somebody else. */
const clients: Session[] = [];

beforeAll(async () => {
  const files = { ...crew('nexo', 'nexo', 'good'), ...crew('mcp', 'mcp', 'good') };
  bench = await workbench({ ...files, ...talos({ id: 'kept', code, functions: ['act'] }) });
  for (const principal of ['agent', 'agent', 'another']) clients.push(await bench.session({ principal }));
});

afterAll(() => bench?.close());

interface Wish {
  readonly text: string;
  readonly ms: number;
  /** When the caller gives up, if it does. */
  readonly patience?: number;
}

async function make(session: Session, id: string, { text, ms, patience }: Wish) {
  const stop = new AbortController();
  const timer = patience === undefined ? undefined : setTimeout(() => stop.abort(), patience);
  const answer = await session.call({ tool: `${id}/act`, arguments: { text, ms }, signal: stop.signal });
  clearTimeout(timer);
  return answer;
}

describe.each(kinds)('$kind', ({ id, calls, width }) => {
  test.each([1, 20, 333])(
    'seed %i',
    async (seed) => {
      const next = random(seed);
      const plan = (name: string, gives: boolean): Wish[] =>
        Array.from({ length: calls }, (_, index) => ({
          text: `${name} ${seed} ${index}`,
          ms: Math.floor(next() * 25),
          ...(gives ? { patience: Math.floor(next() * 40) } : {}),
        }));
      let canceled = 0;
      const work = clients.map(async (session, index) => {
        const gives = index === 0;
        const wishes = plan(`client ${index}`, gives);
        const lane = async () => {
          for (let wish = wishes.pop(); wish !== undefined; wish = wishes.pop()) {
            const answer = await make(session, id, wish);
            if (gives && 'error' in answer && answer.error?.code === 'canceled') canceled++;
            else expect(answer, JSON.stringify(wish)).toMatchObject({ result: { text: wish.text } });
          }
        };
        await Promise.all(Array.from({ length: width }, lane));
      });
      await Promise.all(work);
      // The seed did have calls given up.
      expect(canceled).toBeGreaterThan(0);
      expect(bench.bugs).toEqual([]);
    },
    30_000,
  );
});
