// Held calls of clients that may not approve: the user is sent to the page of the call, or the model gets its link. The
// answer of the client decides nothing; the agent gets the answer when it asks again.
import type { ClientOptions } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/index.js';
import type { McpServerParts } from '../../../../src/serve/mcp/server-options.js';
import { bugs, type Era, frontFor, officialClient, partsFor } from '../../../support/mcp-wire.js';
import { patchTool } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

let bench: Workbench;
let session: Session;
let parts: McpServerParts;
let endLinks: () => void;
const person = { name: 'person', channel: 'page' } as const;

beforeEach(async () => {
  bench = await workbench(
    { 'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }) },
    { warm: false },
  );
  session = await bench.session({ principal: 'agent' });
  parts = partsFor();
  endLinks = bench.host.approvals.links.serveAt('http://127.0.0.1:8377');
});

afterEach(async () => {
  await bench.close();
  expect([...bench.bugs, ...bugs.splice(0)]).toEqual([]);
});

interface Question {
  readonly mode?: string;
  readonly url?: string;
  readonly message: string;
  readonly elicitationId?: string;
}
type Reply = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> };

const byUrl: ClientOptions = { capabilities: { elicitation: { url: {} } } };
const call = { name: 'note', arguments: { text: 'a' } };
const proposed = async () => (await bench.host.approvals.list(['proposed'])).map((it) => it.id);
const ran = async () => (await bench.host.auditTail(200)).filter((it) => it.kind === 'intent').length;
const held = (result: unknown) =>
  JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '{}') as Record<string, string>;

describe.each<Era>(['2025', '2026'])('an official client of %s', (era) => {
  async function client(reply?: (question: Question) => Promise<Reply>, waitMs = 5000) {
    const waiting = { ...parts.waiting, pageWaitMs: waitMs };
    const front = frontFor({ host: bench.host, session, parts: { ...parts, waiting } });
    const made = await officialClient(front, era, reply === undefined ? {} : byUrl);
    if (reply !== undefined)
      made.setRequestHandler('elicitation/create', async ({ params }) => reply(params as Question));
    return made;
  }

  test('that can open URLs waits for the decision on the page, and the call runs once', async () => {
    const questions: Question[] = [];
    const asking = await client(async (question) => {
      questions.push(question);
      const [id = ''] = await proposed();
      // The person decides a moment after the page was opened.
      setTimeout(() => void bench.host.approvals.approve(id, person), 50);
      return { action: 'accept' };
    });
    const completed: unknown[] = [];
    asking.setNotificationHandler('notifications/elicitation/complete', async (it) => {
      completed.push(it.params.elicitationId);
    });
    const result = await asking.callTool(call);
    expect(result.structuredContent).toEqual({ noted: 'a' });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      mode: 'url',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8377\/approve\/apr_\w+\?t=[0-9a-z]+\.[\w-]{43}$/),
      message: expect.stringContaining('note/note'),
    });
    // Only the 2025 era names the question, and says when it is done.
    const [approval] = await bench.host.approvals.list(['executed']);
    const name = era === '2025' ? approval?.id : undefined;
    expect(questions[0]?.elicitationId).toBe(name);
    expect(completed).toEqual(era === '2025' ? [name] : []);
    expect(await ran()).toBe(1);
    expect(approval?.decision).toMatchObject({ channel: 'page', verified: false });
    await asking.close();
  });

  test('cannot approve by its answer, whatever the answer contains', async () => {
    const asking = await client(async () => ({ action: 'accept', content: { approve: true } }), 30);
    const result = await asking.callTool(call);
    expect(result.isError).toBeUndefined();
    expect(held(result)).toMatchObject({ status: 'pending' });
    expect(held(result).approval_page).toContain('/approve/apr_');
    expect([await proposed(), await ran()]).toEqual([[expect.any(String)], 0]);
    await asking.close();
  });

  test.each(['decline', 'cancel'] as const)(
    'that answers %s gets the held call, which stays undecided',
    async (action) => {
      const asking = await client(async () => ({ action }));
      const result = await asking.callTool(call);
      expect(result.isError).toBeUndefined();
      expect(held(result).next).toContain('/approve/apr_');
      expect((await proposed()).length).toBe(1);
      await asking.close();
    },
  );

  test('without elicitation gets the link, waits, and gets the answer when it asks again', async () => {
    const plain = await client();
    const first = await plain.callTool(call);
    expect(held(first)).toMatchObject({ status: 'confirmation_required', tool: 'note/note' });
    expect(held(first).approval_page).toMatch(/\/approve\/apr_\w+\?t=/);
    expect(held(first).next).toContain('must not open yourself');
    const again = await plain.callTool(call);
    expect(held(again).confirmation_token).toBe(held(first).confirmation_token);
    await bench.host.approvals.approve(held(first).confirmation_token as string, person);
    expect((await plain.callTool(call)).structuredContent).toEqual({ noted: 'a' });
    expect(await ran()).toBe(1);
    await plain.close();
  });

  test('is told of a denial once, with the note; a later call is held again', async () => {
    const plain = await client();
    const id = held(await plain.callTool(call)).confirmation_token as string;
    await bench.host.approvals.deny(id, person, 'not\nto\u202e this address');
    const told = await plain.callTool(call);
    expect(told).toMatchObject({ isError: true, _meta: { 'toolwharf/code': 'approval_denied' } });
    expect((told.content as { text: string }[])[0]?.text).toContain(
      'a person denied this call, and says: not to this address',
    );
    const next = held(await plain.callTool(call));
    expect(next.status).toBe('confirmation_required');
    expect(next.confirmation_token).not.toBe(id);
    // A denial that was told through the token is not told again.
    await bench.host.approvals.deny(next.confirmation_token as string, person);
    const confirm = {
      name: 'patch_confirm_action',
      arguments: { confirmation_token: next.confirmation_token as string },
    };
    expect((await plain.callTool(confirm))._meta).toMatchObject({ 'toolwharf/code': 'approval_denied' });
    expect(held(await plain.callTool(call)).status).toBe('confirmation_required');
    expect(await ran()).toBe(0);
    await plain.close();
  });

  test('is not sent to a page that nobody serves', async () => {
    endLinks();
    const questions: Question[] = [];
    const asking = await client(async (question) => {
      questions.push(question);
      return { action: 'accept' };
    });
    const result = held(await asking.callTool(call));
    expect(result.approval_page).toBeUndefined();
    expect(result.next).toContain('toolwharf approvals approve apr_');
    expect(questions).toEqual([]);
    await asking.close();
  });
});

test('a question is withdrawn when the person decides elsewhere first', async () => {
  const front = frontFor({ host: bench.host, session, parts });
  const asking = await officialClient(front, '2025', byUrl);
  asking.setRequestHandler('elicitation/create', async (_request, context) => {
    const [id = ''] = await proposed();
    await bench.host.approvals.approve(id, 'person at the terminal');
    // Nobody answers here.
    await new Promise<void>((resolve) => context.mcpReq.signal.addEventListener('abort', () => resolve()));
    return { action: 'cancel' };
  });
  expect((await asking.callTool(call)).structuredContent).toEqual({ noted: 'a' });
  await asking.close();
});
