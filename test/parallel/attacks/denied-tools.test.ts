// A tool that a rule always denies is not found. The controls ask in a session without the rule, where it is.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rule, Session } from '../../../src/index.js';
import { type Era, frontFor, officialClient } from '../../support/mcp-wire.js';
import { setPackages } from '../../support/set-packages.js';
import { failureOf, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const rule = (tool: string, more: Partial<Rule>): Rule => ({ tool, ...more, origin: { kind: 'session' } });

let bench: Workbench;
let free: Session;
let limited: Session;

beforeAll(async () => {
  bench = await workbench(setPackages, { warm: false });
  free = await bench.session();
  const rules = [
    rule('notes/del*', { approval: 'deny', reason: 'notes are kept' }),
    rule('web', { approval: 'deny' }),
    rule('notes/search', { approval: 'ask' }),
    rule('notes/add', { denyPatterns: ['secret'] }),
  ];
  limited = await bench.session({ policy: { rules } });
});

afterAll(() => bench?.close());

const names = async (session: Session) => (await session.tools()).map((it) => it.name);

describe('a tool that a rule always denies', () => {
  test('is not listed; one that asks, or denies by its arguments, is', async () => {
    expect(await names(limited)).toEqual(['notes/add', 'notes/file', 'notes/search', 'notes/tidy']);
    expect(await names(free)).toEqual(expect.arrayContaining(['notes/delete', 'web/fetch']));
  });

  test('is denied with the reason of the rule if it is called by its name', async () => {
    const denied = await failureOf(limited.call({ tool: 'notes/delete', arguments: { id: '1' } }));
    expect(denied.message).toContain('notes are kept');
    expect(await resultOf(free.call({ tool: 'notes/delete', arguments: { id: '1' } }))).toBe('deleted 1');
  });

  describe.each<Era>(['2025', '2026'])('by a client of %s', (era) => {
    const ask = async (session: Session, name: string, args: Record<string, unknown>) => {
      const client = await officialClient(frontFor({ host: bench.host, session, expose: 'search' }), era);
      const { content } = await client.callTool({ name, arguments: args });
      await client.close();
      return JSON.stringify(content);
    };

    test('is neither found nor described, and cannot be called', async () => {
      for (const query of ['delete a note', 'notes_delete', 'löschen', 'fetch a page']) {
        const found = await ask(limited, 'find_tools', { query, limit: 50 });
        expect(found).not.toMatch(/notes_delete|"web/);
      }
      expect(await ask(limited, 'describe_tool', { name: 'notes/delete' })).toContain('there is no tool');
      const called = await ask(limited, 'call_tool', { name: 'notes/delete', arguments: { id: '1' } });
      expect(called).toContain('notes are kept');
      expect(await ask(limited, 'find_tools', { query: 'search notes' })).toContain('notes_search');
    });

    test('is found, described and called without the rule', async () => {
      for (const query of ['delete a note', 'notes_delete', 'löschen'])
        expect(await ask(free, 'find_tools', { query })).toContain('notes_delete');
      expect(await ask(free, 'describe_tool', { name: 'notes/delete' })).toContain('inputSchema');
      const called = await ask(free, 'call_tool', { name: 'notes/delete', arguments: { id: '1' } });
      expect(called).toContain('deleted 1');
    });
  });
});
