import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApprovalState } from '../model/approval.js';
import { ApprovalQueue } from './approvals.js';
import { type SqliteDatabase as Database, openDatabase } from './sqlite/sqlite-database.js';

let folder: string;
let database: Database;
let clock = 1_000_000;
const now = () => clock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-approvals-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const request = {
  principal: 'p',
  client: '',
  session: 's',
  tool: 'a/b',
  definition: 'd',
  arguments: { x: 1 },
  argumentsDigest: 'x',
  policy: 'l',
  credentials: 'c',
  kind: 'human_confirm',
  reasons: ['r'],
  evidence: [],
};
const others = [
  { principal: 'q' },
  { client: 'r' },
  { tool: 'a/c' },
  { definition: 'e' },
  { argumentsDigest: 'y' },
  { policy: 'm' },
  { credentials: 'n' },
];
const me = { by: 'me', channel: 'terminal', verified: true } as const;
const fresh = (id: string) => ({ ...request, id, createdAt: clock, expiresAt: clock + 1000 });

describe('races', () => {
  test('of a thousand concurrent approvals and begins, one each succeeds', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    expect(await queue.begin('one', request)).toBe(false);
    const thousand = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 1000 }, work));
    expect((await thousand(() => queue.decide('one', 'approved', me))).filter(Boolean)).toHaveLength(1);
    expect((await thousand(() => queue.begin('one', request))).filter(Boolean)).toHaveLength(1);
    await queue.finish('one', { done: true });
    expect(await queue.get('one')).toMatchObject({
      state: 'executed',
      answer: { done: true },
      decision: { by: 'me', channel: 'terminal', verified: true, at: clock },
    });
  });

  test('of a thousand concurrent decisions, only the first one counts', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    const kinds = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? 'denied' : 'approved'));
    const won = await Promise.all(kinds.map((to) => queue.decide('one', to as 'approved' | 'denied', me)));
    expect(won.filter(Boolean)).toHaveLength(1);
    const winner = kinds[won.indexOf(true)];
    expect((await queue.get('one'))?.state).toBe(winner);
    expect(await queue.begin('one', request)).toBe(winner === 'approved');
  });

  test('if an approval expires during a thousand begins, at most one succeeds, and none later', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    await queue.decide('one', 'approved', me);
    let begun = 0;
    const racers = Array.from({ length: 1000 }, async (_, index) => {
      if (index === 500) clock += 1000;
      if (await queue.begin('one', request)) begun++;
    });
    await Promise.all(racers);
    expect(begun).toBeLessThanOrEqual(1);
    expect(await queue.begin('one', request)).toBe(false);
    expect(['executing', 'expired']).toContain((await queue.get('one'))?.state);
  });
});

describe('a request', () => {
  test('is found and begun only with exactly its call', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    expect((await queue.find(request, ['proposed']))?.id).toBe('one');
    await queue.decide('one', 'approved', me);
    for (const other of others) {
      expect(await queue.find({ ...request, ...other }, ['approved'])).toBeUndefined();
      expect(await queue.begin('one', { ...request, ...other }), JSON.stringify(other)).toBe(false);
    }
    expect(await queue.begin('one', request)).toBe(true);
  });

  test('expires, both proposed and approved', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    await queue.propose(fresh('two'));
    await queue.decide('two', 'approved', me);
    clock += 1000;
    expect(await queue.decide('one', 'approved', me)).toBe(false);
    expect(await queue.begin('two', request)).toBe(false);
    expect((await queue.get('two'))?.state).toBe('expired');
  });

  test('is voided by a change of its package, but not of packages with similar names', async () => {
    const queue = new ApprovalQueue(database, now);
    for (const [id, tool] of [
      ['mine', 'a/b'],
      ['longer', 'ab/b'],
      ['dashed', 'a-b/b'],
      ['underscore', 'a_/b'],
    ] as const)
      await queue.propose({ ...fresh(id), tool });
    expect(await queue.invalidate({ package: 'a' }, 'a value was changed')).toEqual(['mine']);
    expect(await queue.get('mine')).toMatchObject({ state: 'void', voidReason: 'a value was changed' });
    expect(await queue.decide('mine', 'approved', me)).toBe(false);
    expect((await queue.list(['proposed'])).map((it) => it.id)).toEqual(['dashed', 'longer', 'underscore']);
    // A running call is not voided.
    await queue.decide('longer', 'approved', me);
    await queue.begin('longer', { ...request, tool: 'ab/b' });
    expect(await queue.invalidate({ package: 'ab' }, 'too late')).toEqual([]);
  });

  test('is counted for its principal and its session', async () => {
    const queue = new ApprovalQueue(database, now);
    await queue.propose(fresh('one'));
    await queue.propose({ ...fresh('two'), session: 't' });
    await queue.propose({ ...fresh('three'), principal: 'q' });
    await queue.decide('one', 'denied', me);
    expect(await queue.counts('p', 's', clock - 1)).toEqual({ open: 1, ofPrincipal: 2, ofSession: 1 });
    clock += 500;
    expect(await queue.counts('p', 's', clock - 100)).toEqual({ open: 1, ofPrincipal: 0, ofSession: 0 });
  });
});

/** A simple model of the state of a request. */
interface Model {
  state: ApprovalState | undefined;
  expiresAt: number;
  runs: number;
}

interface Real {
  queue: ApprovalQueue;
  runs: number;
}

const isExpired = (model: Model) =>
  (model.state === 'proposed' || model.state === 'approved') && model.expiresAt <= clock;
const stateOf = (model: Model): ApprovalState | undefined => (isExpired(model) ? 'expired' : model.state);

type Step = fc.AsyncCommand<Model, Real>;

const step = (name: string, run: (model: Model, real: Real) => Promise<void>): Step => ({
  check: () => true,
  toString: () => name,
  run: async (model, real) => {
    await run(model, real);
    // After every step: the queue and the model have the same state, and nothing ran twice.
    model.state = stateOf(model);
    expect((await real.queue.get('one'))?.state).toBe(model.state);
    expect(real.runs).toBeLessThanOrEqual(1);
    expect(real.runs).toBe(model.runs);
  },
});

const steps = [
  step('propose', async (model, { queue }) => {
    if (model.state !== undefined) return;
    await queue.propose(fresh('one'));
    model.state = 'proposed';
    model.expiresAt = clock + 1000;
  }),
  ...(['approved', 'denied'] as const).map((to) =>
    step(to, async (model, { queue }) => {
      const may = stateOf(model) === 'proposed';
      expect(await queue.decide('one', to, me)).toBe(may);
      if (may) model.state = to;
    }),
  ),
  step('begin', async (model, real) => {
    const may = stateOf(model) === 'approved';
    const began = await real.queue.begin('one', request);
    expect(began).toBe(may);
    if (!began) return;
    real.runs++;
    model.runs++;
    model.state = 'executing';
  }),
  step('begin with something changed', async (_model, { queue }) => {
    for (const other of others) expect(await queue.begin('one', { ...request, ...other })).toBe(false);
  }),
  step('finish', async (model, { queue }) => {
    await queue.finish('one', 'done');
    if (model.state === 'executing') model.state = 'executed';
  }),
  step('void', async (model, { queue }) => {
    await queue.invalidate({ definition: 'd' }, 'changed');
    if (model.state === 'proposed' || model.state === 'approved') model.state = 'void';
  }),
  step('void another', async (_model, { queue }) => {
    await queue.invalidate({ definition: 'e' }, 'changed');
  }),
  step('time passes', async () => {
    clock += 400;
  }),
  step('restart', async (_model, real) => {
    await database.destroy();
    database = openDatabase(folder);
    real.queue = new ApprovalQueue(database, now);
  }),
];

test('any order of decisions, changes, time and restarts runs a call at most once, only if approved', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        steps.map((it) => fc.constant(it)),
        { maxCommands: 25 },
      ),
      async (commands) => {
        await database.deleteFrom('approval').execute();
        await fc.asyncModelRun(
          () => ({
            model: { state: undefined, expiresAt: 0, runs: 0 },
            real: { queue: new ApprovalQueue(database, now), runs: 0 },
          }),
          commands,
        );
      },
    ),
    { numRuns: 60 },
  );
});
