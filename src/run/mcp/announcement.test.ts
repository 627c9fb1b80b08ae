import { describe, expect, test } from 'vitest';
import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { fetchAnnouncement } from './announcement.js';
import type { NegotiatedRevision } from './handshake.js';
import type { McpPeer } from './mcp-dialect.js';

const negotiated = {
  era: '2025',
  revision: '2025-11-25',
  capabilities: { tools: {}, prompts: {}, resources: {} },
} as unknown as NegotiatedRevision;

const usual: Readonly<Record<string, JsonObject | Error>> = {
  'tools/list': { tools: [{ name: 'go' }] },
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'resources/list': { resources: [{ uri: 'desk://pens' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'desk://{thing}' }] },
};

async function announced(changes: Readonly<Record<string, JsonObject | Error>>) {
  const log: string[] = [];
  const answers = { ...usual, ...changes };
  const peer = {
    request: async ({ method }: { method: string }) => {
      const answer = answers[method];
      if (answer instanceof Error || answer === undefined) throw answer;
      return answer;
    },
  } as unknown as McpPeer;
  const listing = {
    name: 'shop/desk',
    timeoutMs: 1000,
    signal: neverCanceled,
    onLog: (it: string) => log.push(it),
  };
  const { tools, prompts, resources, templates } = await fetchAnnouncement(peer, negotiated, listing);
  const count = [tools, prompts ?? [], resources ?? [], templates ?? []].map((it) => it.length);
  return { count, log };
}

const failures: readonly (readonly [string, JsonObject | Error])[] = [
  ['answers with an error', new RpcFailure(-32603, 'no database')],
  ['does not answer', new HostError('timeout', 'it did not answer within 1 s')],
  ['answers without a list', { other: true }],
  ['answers with nothing usable', new HostError('tool_bad_output', 'the answer has no result')],
];

describe('a server that cannot give one list', () => {
  test.each(failures)('%s: it is used without that list', async (_, failure) => {
    expect(await announced({})).toEqual({ count: [1, 1, 1, 1], log: [] });
    const found = await announced({ 'prompts/list': failure });
    expect(found.count).toEqual([1, 0, 1, 1]);
    expect(found.log).toEqual([expect.stringContaining('without the list of prompts/list')]);
    expect((await announced({ 'resources/list': failure })).count).toEqual([1, 1, 0, 1]);
    expect((await announced({ 'resources/templates/list': failure })).count).toEqual([1, 1, 1, 0]);
  });

  test('is not used if that list is its tools', async () => {
    const failure = new RpcFailure(-32603, 'no database');
    await expect(announced({ 'tools/list': failure })).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  test('is not used if it ended meanwhile', async () => {
    const ended = new HostError('upstream_failed', 'shop/desk was stopped by the host');
    await expect(announced({ 'prompts/list': ended })).rejects.toBe(ended);
  });
});
