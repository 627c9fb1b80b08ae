// What a client can observe of the feature server, as plain data: the same for a client with and without the host between.
import type { Client, Progress } from '@modelcontextprotocol/client';
import type { Json } from '../../src/index.js';
import type { Era } from './mcp-wire.js';
import { until } from './toolwharf.js';

/** One way to reach the feature server. */
export interface Side {
  readonly era: Era;
  /** The era of the server behind the host, also for the client that is compared with. */
  readonly serverEra: Era;
  /** A new client, closed at the end of the test. */
  client(capabilities?: object): Promise<Client>;
  /** The name of a tool or prompt for this client. */
  name(own: string): string;
  /** The address of a listed resource for this client. */
  uri(own: string): string;
  /** A folder that both client and server know: the workspace. */
  readonly folder: string;
}

export type Observe = (side: Side) => Promise<unknown>;

const find = <T extends { name: string }>(side: Side, entries: readonly T[], own: string) =>
  entries.find((it) => it.name === side.name(own));

async function allPages<T>(
  page: (cursor?: string) => Promise<{ nextCursor?: string; items: T[] }>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found;
}

const toolEntry =
  (own: string): Observe =>
  async (side) => {
    const client = await side.client();
    const tools = await allPages(async (cursor) => {
      const { tools: items, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
      return { items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    });
    const listed = find(side, tools, own);
    if (listed === undefined) return `${own} is missing`;
    const { execution, ...found } = listed;
    // As text too: the order of members counts.
    return {
      found,
      // Revision 2026-07-28 does not have it, so a server of 2026 does not say it.
      execution: side.serverEra === '2025' ? execution : 'unknown',
      schemas: JSON.stringify([found.inputSchema, found.outputSchema, found._meta?.['desk/color']]),
    };
  };

const result =
  (own: string, args: Record<string, Json> = {}, params: object = {}): Observe =>
  async (side) =>
    (await side.client()).callTool({ name: side.name(own), arguments: args, ...params });

function askedClient(side: Side, asked: string[], answer: (message: string) => Promise<string>) {
  return side.client({ elicitation: {} }).then((client) => {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const message = params.message.replace(/^.* asks:\n\n/s, '');
      asked.push(message);
      return { action: 'accept', content: { it: await answer(message) } };
    });
    return client;
  });
}

/** Everything that a request for a prompt or resource gets: log messages, progress, and its metadata at the server. */
const chatty =
  (read: (client: Client, side: Side, params: object, options: object) => Promise<unknown>): Observe =>
  async (side) => {
    const client = await side.client();
    const messages: unknown[] = [];
    const steps: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void messages.push(params));
    if (side.era === '2025') await client.setLoggingLevel('warning');
    const level = side.era === '2025' ? {} : { 'io.modelcontextprotocol/logLevel': 'warning' };
    const params = { _meta: { 'desk/flag': { a: 1 }, ...level } };
    const answer = await read(client, side, params, { onprogress: (it: object) => steps.push(it) });
    await until(() => messages.length > 0, 3000).catch(() => {});
    return { answer, messages, steps };
  };

const showingApps = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

export const features: Readonly<Record<string, Observe>> = {
  'titles, icons, hints, execution and metadata of a tool': toolEntry('full'),
  'a tool without a title': toolEntry('untitled'),
  'a title in the hints of a tool': toolEntry('hinted'),
  'prompts with titles, icons and metadata': async (side) => {
    const { prompts } = await (await side.client()).listPrompts();
    return [find(side, prompts, 'letter'), find(side, prompts, 'bare')];
  },
  'resources with titles, icons, hints and metadata': async (side) => {
    const { resources } = await (await side.client()).listResources();
    return resources.find((it) => it.uri === side.uri('desk://pens'));
  },
  'resource templates with titles, icons and metadata': async (side) => {
    const { resourceTemplates } = await (await side.client()).listResourceTemplates();
    return resourceTemplates.find((it) => it.uriTemplate === side.uri('desk://ink/{color}'));
  },
  'the parts and metadata of a prompt': async (side) =>
    (await side.client()).getPrompt({ name: side.name('letter'), arguments: { city: 'Paris' } }),
  'the contents and metadata of a resource': async (side) =>
    (await side.client()).readResource({ uri: side.uri('desk://pens') }),
  'a structured result with metadata': result('full', { zebra: 'z' }),
  'a structured result without a schema': result('structured'),
  'all parts of a failed result': result('broken'),
  'a prompt: metadata of the request, progress and log messages': chatty((client, side, params, options) =>
    client.getPrompt({ name: side.name('chatty'), ...params }, options),
  ),
  'a resource: metadata of the request, progress and log messages': chatty((client, side, params, options) =>
    client.readResource({ uri: side.uri('desk://chatty'), ...params }, options),
  ),
  'metadata of a request': result(
    'meta',
    {},
    {
      _meta: {
        'desk/flag': { a: 1 },
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      },
    },
  ),
  'links of a result': async (side) => {
    const client = await side.client();
    const { content } = await client.callTool({ name: side.name('links'), arguments: {} });
    const uris = content.flatMap((it) =>
      it.type === 'resource_link' ? [it.uri] : it.type === 'resource' ? [it.resource.uri] : [],
    );
    const read = await Promise.all(uris.map((uri) => client.readResource({ uri }).catch(() => 'unreadable')));
    return { content, read };
  },
  'links of a prompt': async (side) => {
    const client = await side.client();
    const { messages } = await client.getPrompt({ name: side.name('letter'), arguments: { city: 'Paris' } });
    const uris = messages.flatMap(({ content: it }) => (it.type === 'resource_link' ? [it.uri] : []));
    return Promise.all(uris.map((uri) => client.readResource({ uri }).catch(() => 'unreadable')));
  },
  'an app: its tool, its entry and its page': async (side) => {
    const client = await side.client(showingApps);
    const { tools } = await client.listTools();
    const { resources } = await client.listResources();
    const tool = find(side, tools, 'board');
    const { resourceUri = '' } = (tool?._meta?.ui ?? {}) as { resourceUri?: string };
    const entry = resources.find((it) => it.uri === resourceUri);
    return { tool, entry, page: await client.readResource({ uri: resourceUri }) };
  },
  'an app in a result and linked in it': async (side) => {
    const client = await side.client(showingApps);
    const { content } = await client.callTool({ name: side.name('board'), arguments: {} });
    const uris = content.flatMap((it) => (it.type === 'resource_link' ? [it.uri] : []));
    return { content, read: await Promise.all(uris.map((uri) => client.readResource({ uri }))) };
  },
  'a tool that is for apps alone': async (side) => {
    const client = await side.client(showingApps);
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name: side.name('refresh'), arguments: {} });
    return { tool: find(side, tools, 'refresh'), content };
  },
  'a large result, whole or by its link': async (side) => {
    const client = await side.client();
    const { content } = await client.callTool({ name: side.name('large'), arguments: {} });
    const link = content.find((it) => it.type === 'resource_link');
    if (link === undefined) return content;
    const { contents } = await client.readResource({ uri: link.uri });
    return contents.map((it) => ({ type: 'text', text: 'text' in it ? it.text : '' }));
  },
  'completion of a prompt argument': async (side) =>
    (await side.client()).complete({
      ref: { type: 'ref/prompt', name: side.name('letter') },
      argument: { name: 'city', value: 'Pa' },
      context: { arguments: { country: 'France' } },
    }),
  'completion of a resource template': async (side) =>
    (await side.client()).complete({
      ref: { type: 'ref/resource', uri: side.uri('desk://ink/{color}') },
      argument: { name: 'color', value: 'Po' },
    }),
  'log messages at the chosen level': async (side) => {
    const client = await side.client();
    const messages: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void messages.push(params));
    if (side.era === '2025') await client.setLoggingLevel('warning');
    const _meta = side.era === '2025' ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } };
    await client.callTool({ name: side.name('log'), arguments: {}, ..._meta });
    await until(() => messages.length >= 2, 3000).catch(() => {});
    return messages;
  },
  instructions: async (side) =>
    (await side.client()).getInstructions()?.includes('Use full before untitled.'),
  'whether a client asks for progress': async (side) => {
    const call = { name: side.name('asked'), arguments: {} };
    const answers: unknown[] = [];
    for (const capabilities of [{}, { elicitation: {} }]) {
      const client = await side.client(capabilities);
      answers.push(await client.callTool(call), await client.callTool(call, { onprogress: () => {} }));
    }
    return answers.map((it) => (it as { content: unknown }).content);
  },
  progress: async (side) => {
    const client = await side.client();
    const steps: object[] = [];
    await client.callTool(
      { name: side.name('steps'), arguments: {} },
      { onprogress: (it) => steps.push(it) },
    );
    await until(() => steps.length >= 2, 3000).catch(() => {});
    return steps;
  },
  'progress that begins late': async (side) => {
    const client = await side.client();
    const steps: Progress[] = [];
    await client.callTool({ name: side.name('late'), arguments: {} }, { onprogress: (it) => steps.push(it) });
    // Until then the host says how long it takes.
    return steps.filter((it) => !/^\d+ s$/.test(it.message ?? ''));
  },
  'updates of a subscribed resource': async (side) => {
    const client = await side.client();
    const updates: string[] = [];
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updates.push(params.uri),
    );
    const uri = side.uri('desk://pens');
    if (side.era === '2025') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    await client.callTool({ name: side.name('touch'), arguments: {} });
    await until(() => updates.length > 0, 3000).catch(() => {});
    if (side.era === '2025') await client.unsubscribeResource({ uri });
    return updates.filter((it) => it === uri).map(() => 'desk://pens');
  },
  'a question to the user': async (side) => {
    const asked: string[] = [];
    const client = await askedClient(side, asked, async () => 'blue');
    const { content } = await client.callTool({ name: side.name('consult'), arguments: { topic: 'color' } });
    return { asked, content };
  },
  'a question to the user while other calls are open': async (side) => {
    const asked: string[] = [];
    const client = await askedClient(side, asked, async () => 'blue');
    const waiting = client.callTool({ name: side.name('wait'), arguments: {} });
    // More than the host asks at once.
    const topics = Array.from({ length: 12 }, (_, at) => `topic ${at}`);
    const consult = (topic: string) => client.callTool({ name: side.name('consult'), arguments: { topic } });
    const answers = await Promise.all(topics.map(consult));
    await client.callTool({ name: side.name('release'), arguments: {} });
    await waiting;
    return { asked: asked.sort(), content: answers.map((it) => it.content) };
  },
  'a question to the user while a prompt is read': async (side) => {
    const asked: string[] = [];
    const client = await askedClient(side, asked, async () => 'blue');
    const { messages } = await client.getPrompt({ name: side.name('curious') });
    return { asked, messages };
  },
  'a question to the user while a resource is read': async (side) => {
    const asked: string[] = [];
    const client = await askedClient(side, asked, async () => 'blue');
    const { contents } = await client.readResource({ uri: side.uri('desk://curious') });
    return { asked, contents };
  },
  'a page for the user': async (side) => {
    const pages: object[] = [];
    const client = await side.client({ elicitation: { form: {}, url: {} } });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const { mode, message, url, elicitationId } = params as unknown as Record<string, string>;
      // A server of 2026 gives it none, and a client of 2025 needs one.
      const hasId = side.era === '2026' || typeof elicitationId === 'string';
      pages.push({ mode, url, hasId, message: message?.replace(/^.* asks:\n\n/s, '') });
      return { action: 'accept' };
    });
    const { content } = await client.callTool({ name: side.name('page'), arguments: {} });
    return { pages, content };
  },
  'pages that must be opened before a call': async (side) => {
    // Only revision 2025-11-25 has this error.
    if (side.era === '2026' || side.serverEra === '2026') return 'not in this revision';
    const client = await side.client({ elicitation: { form: {}, url: {} } });
    const call = client.callTool({ name: side.name('pages'), arguments: {} });
    const failure = (await call.then(
      () => ({}),
      (it: unknown) => it,
    )) as { code?: number; data?: { elicitations: { message: string; url: string }[] } };
    return [
      failure.code,
      failure.data?.elicitations.map((it) => ({ ...it, message: it.message.replace(/^.* asks:\n\n/s, '') })),
    ];
  },
  'several questions at once': async (side) => {
    const asked: string[] = [];
    const client = await askedClient(side, asked, async (message) => `about ${message}`);
    const { content } = await client.callTool({ name: side.name('quiz'), arguments: {} });
    return { asked: asked.sort(), content };
  },
  sampling: async (side) => {
    const client = await side.client({ sampling: {} });
    client.setRequestHandler('sampling/createMessage', async ({ params }) => {
      const [first] = params.messages;
      const heard =
        first && !Array.isArray(first.content) && first.content.type === 'text' ? first.content.text : '';
      return { model: 'tiny', role: 'assistant', content: { type: 'text', text: `heard ${heard}` } };
    });
    return (await client.callTool({ name: side.name('sample'), arguments: {} })).content;
  },
  'sampling while other calls are open': async (side) => {
    const client = await side.client({ sampling: {} });
    client.setRequestHandler('sampling/createMessage', async () => ({
      ...{ model: 'tiny', role: 'assistant', content: { type: 'text', text: 'a thought' } },
    }));
    const waiting = client.callTool({ name: side.name('wait'), arguments: {} });
    const sample = () => client.callTool({ name: side.name('sample'), arguments: {} });
    const answers = await Promise.all(Array.from({ length: 10 }, sample));
    await client.callTool({ name: side.name('release'), arguments: {} });
    await waiting;
    return answers.map((it) => it.content);
  },
  'roots of the client': async (side) => {
    const client = await side.client({ roots: {} });
    client.setRequestHandler('roots/list', async () => ({
      roots: [{ uri: `file://${side.folder}`, name: 'me' }],
    }));
    const { content } = await client.callTool({ name: side.name('roots'), arguments: {} });
    return JSON.stringify(content).replace(`file://${side.folder}\\"`, 'the workspace"');
  },
};
