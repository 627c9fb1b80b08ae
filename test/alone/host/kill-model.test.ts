// Compares the kill switch with a model. After any sequence of kills, lifts and restarts, a call runs if and only if no
// active kill covers it.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost, type Host, type Session } from '../../../src/index.js';
import { noSandbox } from '../../../src/sandbox/no-sandbox.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { findagent } from '../../support/workbench.js';

const prompts = (name: string) =>
  findagent(name, {
    tools: ['one', 'two'].map((tool) => ({
      name: tool,
      description: 'Fill a text.',
      input_schema: { type: 'object', properties: {} },
      action: { type: 'prompt-template', template: 'Say hello to everyone here.' },
    })),
  });

const folder = temporaryFolder({
  'p/a/findagent.json': prompts('Aaa'),
  'p/b/findagent.json': prompts('Bbb'),
});
afterAll(() => folder.remove());

interface Real {
  host: Host;
  readonly sessions: Map<string, Session>;
}
interface Model {
  readonly killed: Set<string>;
}

const principals = ['ann/cli', 'ann/chat', 'bob/cli'];
const tools = ['aaa/one', 'aaa/two', 'bbb/one', 'bbb/two'];
const targets = [
  'all',
  'aaa',
  'bbb',
  'aaa/one',
  'bbb/two',
  'principal:ann',
  'principal:ann/chat',
  'principal:bob/cli',
];

/** Deliberately independent of the implementation. */
function covers(target: string, principal: string, tool: string): boolean {
  if (target === 'all' || target === tool || target === tool.split('/')[0]) return true;
  const who = target.startsWith('principal:') ? target.slice(10) : undefined;
  return who !== undefined && (who === principal || who === principal.split('/')[0]);
}

/** Prompts start no process. Probing the sandbox of this machine would take most of the time. */
const sandbox = noSandbox({});
let state = 0;
const open = async (real: Real, at: string): Promise<void> => {
  real.host = await createHost({ state: at, warm: false, sandbox });
  for (const principal of principals) {
    const session = await real.host.session({
      principal,
      directories: [`${folder.path}/p`],
      root: folder.path,
    });
    real.sessions.set(principal, session);
  }
};

const command = (name: string, run: (model: Model, real: Real) => Promise<void>) => ({
  check: () => true,
  run,
  toString: () => name,
});

beforeAll(() => {
  // Control: the model does not stop everything.
  expect(covers('aaa', 'ann/cli', 'bbb/one')).toBe(false);
});

test('a call runs if and only if no active kill covers it', async () => {
  const target = fc.constantFrom(...targets);
  const commands = [
    target.map((it) =>
      command(`kill ${it}`, async ({ killed }, { host }) => {
        expect((await host.kills.set(it, 'model')).changed).toBe(!killed.has(it));
        killed.add(it);
      }),
    ),
    target.map((it) =>
      command(`lift ${it}`, async ({ killed }, { host }) => {
        expect(await host.kills.lift(it, 'model')).toBe(killed.delete(it));
      }),
    ),
    fc.tuple(fc.constantFrom(...principals), fc.constantFrom(...tools)).map(([principal, tool]) =>
      command(`${principal} calls ${tool}`, async ({ killed }, { sessions }) => {
        const session = sessions.get(principal) as Session;
        const answer = await session.call({ tool, arguments: {} });
        const stopped = [...killed].some((it) => covers(it, principal, tool));
        expect('error' in answer ? answer.error?.code : answer.status).toBe(stopped ? 'killed' : 'ok');
        const listed = (await session.tools()).some((it) => it.name === tool);
        expect(listed).toBe(!stopped);
      }),
    ),
    fc.constant(
      command('restart', async ({ killed }, real) => {
        await real.host.close();
        await open(real, `${folder.path}/state-${state}`);
        expect((await real.host.kills.list()).map((it) => it.target).toSorted()).toEqual(
          [...killed].toSorted(),
        );
      }),
    ),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async (given) => {
      state++;
      const real: Real = { host: undefined as unknown as Host, sessions: new Map() };
      await open(real, `${folder.path}/state-${state}`);
      try {
        await fc.asyncModelRun(() => ({ model: { killed: new Set<string>() }, real }), given);
      } finally {
        await real.host.close();
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);
