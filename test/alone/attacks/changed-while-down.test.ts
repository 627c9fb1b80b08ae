// SECURITY.md: "Announced tools are compared". A server that changes its tools while it is down, or while nobody
// listens, gets no call of a changed tool, not even an approved one.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HostOptions, JsonObject, Session, SessionOptions } from '../../../src/index.js';
import {
  type CarrierName,
  type ChangingServer,
  carrierNames,
  changingServer,
} from '../../support/changing-server.js';
import { type NatsTestServer, startNatsServer } from '../../support/nexo/nats-server.js';
import { reorderedTool, type ToolMutant, toolMutants } from '../../support/tool-mutants.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

let nats: NatsTestServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.close());

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const minute = 60_000;
const schema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Who gets it.', minLength: 0 },
    kind: { type: 'string', enum: ['letter', 'parcel', 'card'], description: 'What it is.' },
    text: { type: ['string', 'null'], description: 'What it says.' },
    copies: { anyOf: [{ type: 'integer', maximum: 9 }, { type: 'null' }] },
  },
  required: ['to', 'text'],
  additionalProperties: false,
};
const input = { to: 'Ada', text: 'hello' };

/** The definition of a tool, in the form of the protocol. */
function definition(carrier: CarrierName, name: string): JsonObject {
  const description = 'Sends something to somebody.';
  if (carrier.startsWith('nexo')) return { name, description, input_schema: schema };
  return {
    name,
    title: 'Send',
    description,
    inputSchema: schema,
    outputSchema: { type: 'object', properties: { id: { type: 'string', description: 'Its number.' } } },
    annotations: { title: 'Send it', readOnlyHint: false, openWorldHint: true },
    _meta: { 'desk/page': { uri: 'ui://send', size: 3 } },
  };
}

interface Scene {
  readonly bench: Workbench;
  readonly server: ChangingServer;
  readonly session: Session;
  open(options?: Partial<SessionOptions>): Promise<Session>;
  /** Moves the clock of the host. */
  later(milliseconds: number): void;
  /** Changes the announcement while the server is down or silent. */
  change(tools: readonly JsonObject[]): Promise<void>;
}

async function scene(
  carrier: CarrierName,
  tools: readonly JsonObject[],
  host: Partial<HostOptions> = {},
): Promise<Scene> {
  let clock = Date.now();
  const supervision = { backoffMs: 10, maxBackoffMs: 10, maxRestarts: 1000, autoRestart: false };
  const bench = await workbench({}, { now: () => clock, supervision, warm: false, ...host });
  closing.push(() => bench.close());
  const server = await changingServer(carrier, bench, tools, nats.url);
  closing.push(() => server.close());
  const open = (options: Partial<SessionOptions> = {}) =>
    bench.session({
      ...server.options,
      ...options,
      policy: { ...server.options.policy, ...options.policy },
    });
  const session = await open();
  const isRunning = async () =>
    (await session.packages()).packages.some((it) => it.programs?.some(({ state }) => state !== 'stopped'));
  return {
    ...{ bench, server, session, open },
    later: (milliseconds) => {
      clock += milliseconds;
    },
    change: (now) => server.announce(now, isRunning),
  };
}

/** Every call of a tool with an undeclared effect then asks a person, as one that cannot be undone. */
const strict: Partial<SessionOptions> = {
  policy: { rules: [{ tool: '*', origin: { kind: 'session' }, undeclaredEffect: 'destructive' }] },
};

const callOf = (session: Session, tool: string) => session.call({ tool: `desk/${tool}`, arguments: input });

async function approved(bench: Workbench, session: Session, tool: string): Promise<string> {
  const answer = await callOf(session, tool);
  if (answer.status !== 'confirmation_required') throw new Error(`not held: ${JSON.stringify(answer)}`);
  const { token } = answer.confirmation;
  await bench.host.approvals.approve(token, 'ada');
  return token;
}

const toolsOf = (mutants: readonly ToolMutant[]) =>
  mutants.flatMap((it): readonly JsonObject[] => (it.tool === undefined ? [] : [it.tool]));

describe.each(carrierNames)('%s', (carrier) => {
  test('a tool that changed while the server was down gets no call; the others do', async () => {
    const mutants = toolMutants(definition(carrier, 'tool')).map((mutant, index): ToolMutant => {
      const name = `t${index}`;
      if (mutant.tool === undefined) return mutant;
      return {
        ...mutant,
        tool: { ...mutant.tool, name: mutant.tool.name === 'tool' ? name : `${name}_more` },
      };
    });
    const names = mutants.map((_, index) => `t${index}`);
    const others = ['calm', 'turned'].map((it) => definition(carrier, it));
    const agreed = [...names.map((it) => definition(carrier, it)), ...others];
    const { server, session, later, change } = await scene(carrier, agreed);
    // Control: an unchanged definition is called.
    await resultOf(callOf(session, 't0'));
    expect(server.received()).toEqual(['t0']);

    const turned = others.map(reorderedTool).reverse();
    await change([...turned, ...toolsOf(mutants).reverse()]);
    later(5 * minute + 1);
    const reached: string[] = [];
    for (const [index, it] of mutants.entries()) {
      const { code } = await failureOf(callOf(session, names[index] as string));
      if (code !== 'needs_review') reached.push(`${code}: ${it.name}`);
    }
    expect(reached).toEqual([]);
    expect(server.received()).toEqual(['t0']);
    // Control: the server runs and answers; unchanged tools and another order need no review.
    await resultOf(callOf(session, 'calm'));
    await resultOf(callOf(session, 'turned'));
    expect(server.received()).toEqual(['t0', 'calm', 'turned']);

    // Back to what was accepted: the review ends without a person.
    await change(agreed);
    for (const it of names.slice(0, 10)) await resultOf(callOf(session, it));
    expect((await session.review('desk')).widened).toEqual([]);
  }, 120_000);

  test('an approved call does not reach a changed tool, and its approval is void', async () => {
    const base = definition(carrier, 'send');
    const all = toolMutants(base);
    // One of each kind of change, spread over the whole definition.
    const kinds = new Map(all.map((it) => [it.name.replace(/^\S+ /, ''), it]));
    const { bench, server, open, later, change } = await scene(carrier, [base]);
    const session = await open(strict);
    let calls = 0;
    for (const { name, tool } of kinds.values()) {
      const id = await approved(bench, session, 'send');
      await change(tool === undefined ? [] : [tool]);
      const { code } = await failureOf(callOf(session, 'send'));
      expect(code, name).toBe('needs_review');
      expect(server.received().length, name).toBe(calls);
      expect((await bench.host.approvals.get(id)).state, name).toBe('void');

      // Control: the accepted definition is called again, but only after a new approval.
      await change([base]);
      later(minute);
      await approved(bench, session, 'send');
      await resultOf(callOf(session, 'send'));
      calls++;
      expect(server.received().length, name).toBe(calls);
      later(minute);
    }
    expect(kinds.size).toBeGreaterThan(9);
  }, 120_000);

  test('another order of members and lists leaves an approval valid', async () => {
    const tools = ['send', 'take'].map((it) => definition(carrier, it));
    const { bench, server, open, change } = await scene(carrier, tools);
    const session = await open(strict);
    const id = await approved(bench, session, 'send');
    await change(tools.map(reorderedTool).reverse());
    await resultOf(callOf(session, 'send'));
    expect(server.received()).toEqual(['send']);
    expect((await bench.host.approvals.get(id)).state).toBe('executed');
  });

  test('a renamed tool needs review under its new name, and its old name is no longer offered', async () => {
    const { server, session, later, change } = await scene(carrier, [definition(carrier, 'send')]);
    await change([definition(carrier, 'deliver')]);
    later(5 * minute + 1);
    const { code, message } = await failureOf(callOf(session, 'send'));
    expect(code).toBe('needs_review');
    expect(message).toMatch(/no longer offer/);
    expect(server.received()).toEqual([]);
    if (carrier.startsWith('nexo')) return;
    // A nexo manifest names its tools, so it cannot offer this one at all.
    expect((await failureOf(callOf(session, 'deliver'))).code).toBe('needs_review');
    await session.accept('desk', (await session.review('desk')).to);
    await resultOf(callOf(session, 'deliver'));
    expect(server.received()).toEqual(['deliver']);
  });
});

test('there are at least 168 changes of an MCP tool', () => {
  expect(toolMutants(definition('MCP stdio', 'send')).length).toBeGreaterThanOrEqual(168);
});
