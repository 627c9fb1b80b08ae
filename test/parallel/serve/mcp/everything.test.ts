// The reference server of the protocol, unmodified: a client sees through the host what it sees directly. The server speaks
// only the 2025 era, so a client of 2026 is compared with what a client of 2025 sees directly.
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../../scripts/bundle.mjs';
import { type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { serverPackage } from '../../../support/server-package.js';
import { temporaryFolder, until } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const id = 'everything';
const dist = join(process.cwd(), 'node_modules/@modelcontextprotocol/server-everything/dist');
const folder = temporaryFolder();
const clients: Client[] = [];
let bench: Workbench;
let session: Awaited<ReturnType<Workbench['session']>>;

beforeAll(async () => {
  // One file for the sandbox, beside the documents that it reads.
  const script = join(folder.path, 'server.mjs');
  await bundleModule(`import ${JSON.stringify(join(dist, 'index.js'))};`, dist, script);
  cpSync(join(dist, 'docs'), join(folder.path, 'docs'), { recursive: true });
  const documents = readdirSync(join(dist, 'docs')).map((it) => [
    `${id}/docs/${it}`,
    readFileSync(join(dist, 'docs', it), 'utf8'),
  ]);
  const files = serverPackage(id, '');
  const manifest = JSON.parse(String(files[`${id}/toolspace.json`]));
  // It sees the workspace, which is its root.
  const scopes = [{ resource: 'fs.local', actions: ['read'], rationale: 'It shows roots.' }];
  bench = await workbench({
    ...files,
    [`${id}/toolspace.json`]: JSON.stringify({ ...manifest, scopes }),
    [`${id}/server.mjs`]: "process.argv[2] = 'stdio'; await import('./resources/server.mjs');",
    [`${id}/resources/server.mjs`]: readFileSync(script, 'utf8'),
    ...Object.fromEntries(documents),
  });
  session = await bench.session({ policy: { serverRequests: ['sampling', 'roots'] } });
});

const closing: Promise<void>[] = [];

// The server does not end with its input, and its client waits two seconds for that.
afterEach(() => {
  closing.push(...clients.splice(0).map((it) => it.close()));
});

afterAll(async () => {
  await Promise.all(closing);
  await bench?.close();
  folder.remove();
});

interface Side {
  readonly name: (own: string) => string;
  readonly uri: (own: string) => string;
  readonly client: Client;
  readonly seen: { questions: unknown[]; samples: unknown[]; logs: string[]; updates: string[] };
}

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

function prepared(client: Client): Side['seen'] {
  const seen: Side['seen'] = { questions: [], samples: [], logs: [], updates: [] };
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') {
      seen.questions.push([params.url, params.message.replace(/^.* asks:\n\n/s, '')]);
      return { action: 'accept' };
    }
    seen.questions.push((params as { requestedSchema: unknown }).requestedSchema);
    return { action: 'accept', content: { name: 'Ada', check: true } };
  });
  client.setRequestHandler('sampling/createMessage', async ({ params }) => {
    seen.samples.push([params.messages, params.maxTokens]);
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'A thought.' } };
  });
  client.setRequestHandler('roots/list', async () => ({
    roots: [{ uri: `file://${bench.root}`, name: 'workspace' }],
  }));
  client.setNotificationHandler('notifications/message', ({ params }) => {
    seen.logs.push(String(params.data));
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    seen.updates.push(params.uri);
  });
  clients.push(client);
  return seen;
}

async function direct(): Promise<Side> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: 'legacy' } },
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(dist, 'index.js'), 'stdio'],
    stderr: 'ignore',
  });
  await client.connect(transport);
  const seen = prepared(client);
  return { name: (own) => own, uri: (own) => own, client, seen };
}

async function behind(era: Era): Promise<Side> {
  const client = await officialClient(frontFor({ host: bench.host, session }), era, { capabilities });
  const prefix = `upstream://${id}/server/`;
  return {
    name: (own) => `${id}_${own}`,
    uri: (own) => `${prefix}${own}`,
    client,
    seen: prepared(client),
  };
}

/** Without what the host adds on purpose, and without times. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value ?? null)
    .replaceAll(`upstream://${id}/server/`, '')
    .replaceAll(`${id}_`, '')
    .replaceAll(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, 'TIME');
  return JSON.parse(text, (key, it) => {
    if (key === 'blob' && /created at/.test(Buffer.from(it, 'base64').toString())) return 'TIME';
    if (key === 'ttlMs' || key === 'cacheScope' || key === 'resultType') return undefined;
    if (key !== '_meta') return it;
    const own = Object.entries(it).filter(
      ([name]) => !/^(?:toolwharf|io\.modelcontextprotocol)\//.test(name),
    );
    return own.length === 0 ? undefined : Object.fromEntries(own);
  });
}

const result =
  (name: string, args: Record<string, unknown> = {}) =>
  ({ client, name: named }: Side) =>
    client.callTool({ name: named(name), arguments: args });

/** Tools that differ on purpose: what a process sees of its machine, and the one that the next test is about. */
const ownTools = ['get-env', 'simulate-research-query'];

const features: Readonly<Record<string, (side: Side) => Promise<unknown>>> = {
  'all tools with all that they say': async ({ client, name }) => {
    const { tools } = await client.listTools();
    const known = (await serverTools()).map(name);
    return known.map((it) => {
      // The official client of 2026 removes `execution`, which its revision does not have.
      const { execution, ...rest } = tools.find((tool) => tool.name === it) ?? { name: `${it} is missing` };
      return rest;
    });
  },
  'all prompts': async ({ client }) =>
    (await client.listPrompts()).prompts.sort((a, b) => a.name.localeCompare(b.name)),
  'all resources': async ({ client, uri }) =>
    (await client.listResources()).resources.filter((it) => it.uri.startsWith(uri('demo:'))),
  'all templates': async ({ client }) =>
    (await client.listResourceTemplates()).resourceTemplates.filter(
      (it) => !it.uriTemplate.startsWith('toolwharf:'),
    ),
  echo: result('echo', { message: 'hello' }),
  'an invalid call': async (side) => (await result('echo', { message: 7 })(side)).isError === true,
  sum: result('get-sum', { a: 2, b: 3 }),
  'a picture': result('get-tiny-image'),
  'annotated parts': result('get-annotated-message', { messageType: 'error', includeImage: true }),
  'a structured result': result('get-structured-content', { location: 'Chicago' }),
  'an embedded resource': result('get-resource-reference', { resourceType: 'Text', resourceId: 3 }),
  'links, and what is behind them': async (side) => {
    const { content } = await result('get-resource-links', { count: 2 })(side);
    const uris = content.flatMap((it) => (it.type === 'resource_link' ? [it.uri] : []));
    expect(uris).toHaveLength(2);
    return { content, read: await Promise.all(uris.map((uri) => side.client.readResource({ uri }))) };
  },
  'a file in the result': result('gzip-file-as-resource', {
    ...{ name: 'x.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
  }),
  'the roots that the server was told': async (side) => {
    let text = '';
    await until(async () => {
      text = textIn(await result('get-roots-list')(side));
      return text.includes('workspace');
    }, 5000);
    return text;
  },
  'a document': ({ client, uri }) =>
    client.readResource({ uri: uri('demo://resource/static/document/features.md') }),
  'a resource of a template': ({ client, uri }) =>
    client.readResource({ uri: uri('demo://resource/dynamic/text/7') }),
  'a prompt': ({ client, name }) => client.getPrompt({ name: name('simple-prompt') }),
  'a prompt with arguments': ({ client, name }) =>
    client.getPrompt({ name: name('args-prompt'), arguments: { city: 'Paris', state: 'Texas' } }),
  'a prompt with a resource': ({ client, name }) =>
    client.getPrompt({
      name: name('resource-prompt'),
      arguments: { resourceType: 'Text', resourceId: '2' },
    }),
  'completion, also with what was chosen before': async ({ client, name }) => {
    const ref = { type: 'ref/prompt', name: name('completable-prompt') } as const;
    const context = { arguments: { department: 'Sales' } };
    return [
      await client.complete({ ref, argument: { name: 'department', value: 'S' } }),
      await client.complete({ ref, argument: { name: 'name', value: 'E' }, context }),
    ];
  },
  progress: async ({ client, name }) => {
    const steps: unknown[] = [];
    const call = { name: name('trigger-long-running-operation'), arguments: { duration: 0.6, steps: 3 } };
    const done = await client.callTool(call, { onprogress: (it) => steps.push(it) });
    // The official client forgets late progress of a call that has its answer.
    return { done, steps: steps.slice(0, 2) };
  },
  sampling: async (side) => {
    const done = await result('trigger-sampling-request', { prompt: 'Think.', maxTokens: 20 })(side);
    return { text: textIn(done).includes('A thought.'), samples: side.seen.samples };
  },
  'a question to the user': async (side) => {
    const done = await result('trigger-elicitation-request')(side);
    return { text: textIn(done).includes('Ada'), questions: side.seen.questions };
  },
  'a page for the user': async (side) => {
    const args = { url: 'https://example.com/a', message: 'Open it.', elicitationId: 'one' };
    const done = await result('trigger-url-elicitation', args)(side);
    return { done, questions: side.seen.questions };
  },
  'updates of a subscribed resource': async (side) => {
    const uri = side.uri('demo://resource/dynamic/text/1');
    if (side.client.getNegotiatedProtocolVersion() === '2026-07-28')
      await side.client.listen({ resourceSubscriptions: [uri] });
    else await side.client.subscribeResource({ uri });
    await result('toggle-subscriber-updates')(side);
    await until(() => side.seen.updates.includes(uri));
    await result('toggle-subscriber-updates')(side);
    return side.seen.updates[0];
  },
  'log messages': async (side) => {
    const is2026 = side.client.getNegotiatedProtocolVersion() === '2026-07-28';
    if (!is2026) await side.client.setLoggingLevel('debug');
    const _meta = is2026 ? { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : {};
    const toggle = () =>
      side.client.callTool({ name: side.name('toggle-simulated-logging'), arguments: {}, ..._meta });
    await toggle();
    await until(() => side.seen.logs.some((it) => /level.message/i.test(it)));
    await toggle();
    return 'there was one';
  },
  instructions: async ({ client }) => client.getInstructions()?.includes('Everything Server') === true,
};

const textIn = (it: Awaited<ReturnType<Client['callTool']>>) => JSON.stringify(it.content);

/** All tools of the server for a client that offers the same as the host. */
async function serverTools(): Promise<string[]> {
  const { client } = await direct();
  await until(async () => (await client.listTools()).tools.some((it) => it.name === 'get-roots-list'));
  const { tools } = await client.listTools();
  return tools.map((it) => it.name).filter((it) => !ownTools.includes(it));
}

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  test.each(Object.keys(features))('%s', async (name) => {
    const observe = features[name] as (side: Side) => Promise<unknown>;
    const wanted = comparable(await observe(await direct()));
    const found = comparable(await observe(await behind(era)));
    expect(found).toEqual(wanted);
  });

  test('pages that must be opened before a call', async () => {
    const failed = async (side: Side) => {
      const args = { url: 'https://example.com/b', message: 'First.', elicitationId: 'two', errorPath: true };
      const call = () => result('trigger-url-elicitation', args)(side);
      const failure = await call().catch((it: { code: number; data: unknown }) => [it.code, it.data]);
      // The server remembers that it asked, and goes on.
      const text = JSON.stringify([failure, await call(), side.seen.questions])
        .replaceAll(/"elicitationId":"[-0-9a-f]{36}"/g, '"elicitationId":"ID"')
        .replaceAll(/The tool [^ ]+ asks:\\n\\n/g, '');
      return comparable(JSON.parse(text));
    };
    const found = await failed(await behind(era));
    // A client of 2026 does not know this error: it is a failed result with the address.
    const [first] = found as [{ isError?: boolean }];
    const failure = JSON.stringify(first);
    if (era === '2026') expect(failure).toMatch(/https:\/\/modelcontextprotocol\.io.*"isError":true/);
    else expect(found).toEqual(await failed(await direct()));
  });

  test('a tool that its server runs only as a task is an ordinary one', async () => {
    const side = await behind(era);
    const done = await result('simulate-research-query', { topic: 'ink', ambiguous: false })(side);
    expect(textIn(done)).toContain('ink');
  });

  test('a resource that a tool adds to the list waits for review', async () => {
    const side = await behind(era);
    const data = 'data:text/plain;base64,aGVsbG8=';
    const args = { name: `${era}.gz`, data, outputType: 'resourceLink' };
    const made = await result('gzip-file-as-resource', args)(side);
    const [link] = made.content.flatMap((it) => (it.type === 'resource_link' ? [it.uri] : []));
    await expect(side.client.readResource({ uri: String(link) })).rejects.toThrow(/review/);
  });

  test('every tool of the server was looked at', async () => {
    const tested = readFileSync(import.meta.filename, 'utf8');
    const isUsed = (it: string) => tested.includes(`result('${it}'`) || tested.includes(`name('${it}')`);
    expect((await serverTools()).filter((it) => !isUsed(it))).toEqual([]);
  });
});
