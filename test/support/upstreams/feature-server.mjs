// An MCP server that uses what gateways tend to lose: titles, icons, metadata, completion, logging, subscriptions.
// Written with the official SDK. The first argument selects the era.
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

const none = { type: 'object', properties: {} };
const icons = [{ src: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png', sizes: ['16x16'] }];

const tools = [
  {
    name: 'full',
    title: 'A full tool',
    description: 'A tool with everything.',
    icons,
    inputSchema: {
      type: 'object',
      properties: { zebra: { type: 'string' }, apple: { type: 'integer' }, mango: { type: 'boolean' } },
      required: ['zebra'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { zulu: { type: 'string' }, alpha: { type: 'string' } },
      required: ['zulu'],
    },
    annotations: { title: 'Another title', readOnlyHint: true, openWorldHint: false },
    execution: { taskSupport: 'optional' },
    _meta: { 'desk/color': { z: 1, a: 2 } },
  },
  { name: 'untitled', description: 'No title.', inputSchema: none },
  {
    name: 'hinted',
    description: 'A title in its hints.',
    inputSchema: none,
    annotations: { title: 'Hinted' },
  },
  { name: 'structured', description: 'A structured value without a schema.', inputSchema: none },
  { name: 'broken', description: 'Fails with parts.', inputSchema: none },
  { name: 'meta', description: 'The metadata of the request.', inputSchema: none },
  { name: 'asked', description: 'Whether the request asks for progress.', inputSchema: none },
  { name: 'links', description: 'Links to resources.', inputSchema: none },
  { name: 'large', description: 'A large text.', inputSchema: none },
  { name: 'log', description: 'Writes log messages.', inputSchema: none },
  { name: 'steps', description: 'Reports progress.', inputSchema: none },
  { name: 'late', description: 'Reports progress after more than a second.', inputSchema: none },
  { name: 'touch', description: 'Changes a resource.', inputSchema: none },
  { name: 'churn', description: 'Changes a resource very often.', inputSchema: none },
  { name: 'crash', description: 'Ends the server.', inputSchema: none },
  { name: 'wait', description: 'Waits for the tool "release".', inputSchema: none },
  { name: 'release', description: 'Ends all waits.', inputSchema: none },
  {
    name: 'consult',
    description: 'Asks the user.',
    inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
  },
  { name: 'page', description: 'Asks the user to open a page.', inputSchema: none },
  { name: 'pages', description: 'Needs a page to be opened first.', inputSchema: none },
  { name: 'quiz', description: 'Asks twelve things at once.', inputSchema: none },
  {
    name: 'sample',
    description: 'Asks the model.',
    inputSchema: { type: 'object', properties: { hidden: { type: 'string' }, count: { type: 'integer' } } },
  },
  { name: 'roots', description: 'Asks for roots.', inputSchema: none },
  { name: 'needy', description: 'Needs a client with sampling.', inputSchema: none },
  {
    name: 'board',
    description: 'Shows a board.',
    inputSchema: none,
    _meta: { ui: { resourceUri: 'ui://desk/board' }, 'ui/resourceUri': 'ui://desk/board' },
  },
  {
    name: 'refresh',
    description: 'Refreshes the board.',
    inputSchema: none,
    _meta: { ui: { resourceUri: 'ui://desk/board', visibility: ['app'] } },
  },
];

const prompts = [
  {
    name: 'letter',
    title: 'A letter',
    description: 'Writes a letter.',
    icons,
    arguments: [{ name: 'city', title: 'The city', description: 'Where it goes.', required: true }],
    _meta: { 'desk/kind': 'letter' },
  },
  { name: 'bare' },
  { name: 'curious' },
  { name: 'chatty' },
];

const resources = [
  {
    uri: 'desk://pens',
    name: 'pens',
    title: 'The pens',
    description: 'All pens.',
    mimeType: 'text/plain',
    size: 4,
    icons,
    annotations: { audience: ['user'], priority: 0.5 },
    _meta: { 'desk/drawer': 1 },
  },
  {
    uri: 'ui://desk/board',
    name: 'board',
    mimeType: 'text/html;profile=mcp-app',
    _meta: { ui: { prefersBorder: true } },
  },
];

resources.push({ uri: 'desk://curious', name: 'curious' }, { uri: 'desk://chatty', name: 'chatty' });
/** The page of an app. */
const board = {
  uri: 'ui://desk/board',
  mimeType: 'text/html;profile=mcp-app',
  text: '<!doctype html><p>board</p>',
  _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } } },
};

const templates = [
  { uriTemplate: 'desk://ink/{color}', name: 'ink', title: 'Ink', icons, _meta: { 'desk/drawer': 2 } },
];

const text = (it) => ({ content: [{ type: 'text', text: it }] });

/** The metadata of a request, without that of the protocol. */
function metaText(params, ctx) {
  const own = Object.entries(params._meta ?? ctx.mcpReq._meta ?? {});
  return JSON.stringify(own.filter(([key]) => /^(?:desk|traceparent|evil)/.test(key)).sort());
}

/** Reports progress, if the client asked for it. */
async function report(ctx) {
  const token = ctx.mcpReq._meta?.progressToken;
  for (const progress of token === undefined ? [] : [1, 2])
    await ctx.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress, total: 2, message: `step ${progress}` },
    });
  // The official client forgets late progress of a request that has its answer.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

/** What a read can say besides its answer. */
async function chat(params, ctx) {
  await ctx.mcpReq.log('debug', 'a detail', 'desk');
  await ctx.mcpReq.log('warning', { pens: 2 }, 'desk');
  await report(ctx);
  return metaText(params, ctx);
}
const waiting = [];
/** A text that was passed in a form in which no scanner knows it. */
const plain = (hidden) => hidden?.replaceAll(/./g, (it) => String.fromCharCode(it.charCodeAt(0) - 3));

function makeServer(isNew) {
  const server = new Server(
    { name: 'desk', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: {},
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
      instructions: 'Use full before untitled.',
    },
  );
  // Two entries per page.
  const paged =
    (all, member) =>
    ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const next = from + 2 < all.length ? { nextCursor: String(from + 2) } : {};
      return { [member]: all.slice(from, from + 2), ...next };
    };
  server.setRequestHandler('tools/list', paged(tools, 'tools'));
  server.setRequestHandler('prompts/list', paged(prompts, 'prompts'));
  server.setRequestHandler('resources/list', paged(resources, 'resources'));
  server.setRequestHandler('resources/templates/list', paged(templates, 'resourceTemplates'));
  const form = (message) => ({
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { it: { type: 'string', title: 'It' } },
      required: ['it'],
    },
  });
  /** Asks for a color. Undefined: the answer comes with the next request. */
  const color = async (ctx) => {
    if (!isNew) return ctx.mcpReq.elicitInput(form('Which color?'));
    return ctx.mcpReq.inputResponses?.color;
  };
  const askColor = () =>
    inputRequired({ inputRequests: { color: inputRequired.elicit(form('Which color?')) } });
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    if (params.name === 'chatty')
      return { messages: [{ role: 'user', content: { type: 'text', text: await chat(params, ctx) } }] };
    if (params.name !== 'curious') return letter(params);
    const answer = await color(ctx);
    if (answer === undefined) return askColor();
    return { messages: [{ role: 'user', content: { type: 'text', text: `In ${answer.content?.it}.` } }] };
  });
  const letter = (params) => ({
    description: `A letter to ${params.arguments?.city}.`,
    messages: [
      { role: 'user', content: { type: 'text', text: 'Write.', annotations: { audience: ['assistant'] } } },
      { role: 'user', content: { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } },
      { role: 'user', content: { type: 'resource_link', uri: 'desk://pens', name: 'pens' } },
    ],
    _meta: { 'desk/stamp': 7 },
  });
  server.setRequestHandler('resources/read', async ({ params }, ctx) => {
    if (params.uri === 'desk://chatty')
      return { contents: [{ uri: params.uri, text: await chat(params, ctx) }] };
    if (params.uri !== 'desk://curious') return contentsOf(params);
    const answer = await color(ctx);
    if (answer === undefined) return askColor();
    return { contents: [{ uri: params.uri, text: `In ${answer.content?.it}.` }] };
  });
  const contentsOf = (params) => ({
    contents: [
      params.uri === board.uri
        ? board
        : {
            uri: params.uri,
            mimeType: 'text/plain',
            text: `all of ${params.uri}`,
            _meta: { 'desk/part': 1 },
          },
    ],
    _meta: { 'desk/read': true },
  });
  server.setRequestHandler('completion/complete', ({ params }) => {
    const known = ['Paris', 'Parma', 'Porto'].filter((it) => it.startsWith(params.argument.value));
    const given = Object.keys(params.context?.arguments ?? {}).join();
    const values = [...known, `${params.ref.type} ${params.ref.name ?? params.ref.uri} ${given}`.trim()];
    return { completion: { values, total: values.length, hasMore: false } };
  });
  if (!isNew) {
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const given = params.arguments ?? {};
    const ask = async (key, old, created) => {
      if (!isNew) return old();
      return ctx.mcpReq.inputResponses?.[key] ?? inputRequired({ inputRequests: { [key]: created } });
    };
    switch (params.name) {
      case 'full': {
        const value = { zulu: given.zebra, alpha: 'a' };
        return {
          content: [{ type: 'text', text: JSON.stringify(value) }],
          structuredContent: value,
          _meta: { 'desk/took': 3 },
        };
      }
      case 'structured':
        return { ...text('seven'), structuredContent: { z: 7, a: 1 } };
      case 'broken':
        return {
          content: [
            { type: 'text', text: 'it broke' },
            { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          ],
          structuredContent: { reason: 'age' },
          isError: true,
          _meta: { 'desk/code': 9 },
        };
      case 'meta':
        return text(metaText(params, ctx));
      case 'asked':
        return text(ctx.mcpReq._meta?.progressToken === undefined ? 'no' : 'yes');
      case 'links':
        return {
          content: [
            { type: 'resource_link', uri: 'desk://pens', name: 'pens', title: 'Pens', icons },
            {
              type: 'resource',
              resource: { uri: 'desk://ink/red', mimeType: 'text/plain', text: 'red ink' },
            },
          ],
        };
      case 'large':
        return text('0123456789'.repeat(30_000));
      case 'log':
        await ctx.mcpReq.log('debug', 'a detail', 'desk');
        await ctx.mcpReq.log('warning', { pens: 2, ink: 0 }, 'desk');
        await ctx.mcpReq.log('error', 'no ink', 'desk');
        return text('logged');
      case 'steps':
        await report(ctx);
        return text('done');
      case 'late':
        await new Promise((resolve) => setTimeout(resolve, 1500));
        await report(ctx);
        return text('done');
      case 'touch':
        await server.sendResourceUpdated({ uri: 'desk://pens' });
        await server.sendResourceUpdated({ uri: 'desk://ink/red' });
        return text('touched');
      case 'churn':
        for (let count = 0; count < 300; count++) await server.sendResourceUpdated({ uri: 'desk://pens' });
        return text('churned');
      case 'crash':
        process.exit(3);
        break;
      case 'board':
        return {
          content: [
            { type: 'resource', resource: board },
            { type: 'resource_link', uri: board.uri, name: 'board' },
          ],
        };
      case 'wait':
        await new Promise((resolve) => waiting.push(resolve));
        return text('waited');
      case 'release': {
        const count = waiting.length;
        for (const end of waiting.splice(0)) end();
        return text(`released ${count}`);
      }
      case 'consult': {
        const question = {
          mode: 'form',
          message: `Which ${given.topic}?`,
          requestedSchema: {
            type: 'object',
            properties: { it: { type: 'string', title: 'It' } },
            required: ['it'],
          },
        };
        const answer = await ask(
          'it',
          () => ctx.mcpReq.elicitInput(question),
          inputRequired.elicit(question),
        );
        return answer.resultType ? answer : text(`${given.topic}: ${answer.action} ${answer.content?.it}`);
      }
      case 'page': {
        const page = { message: 'Sign in.', url: 'https://example.com/sign-in?from=desk' };
        const old = () => ctx.mcpReq.elicitInput({ mode: 'url', elicitationId: 'page-1', ...page });
        const answer = await ask('page', old, inputRequired.elicitUrl(page));
        return answer.resultType ? answer : text(answer.action);
      }
      case 'pages': {
        const page = {
          mode: 'url',
          message: 'Sign in.',
          url: 'https://example.com/',
          elicitationId: 'page-2',
        };
        throw Object.assign(new Error('sign in first'), { code: -32_042, data: { elicitations: [page] } });
      }
      case 'quiz': {
        const keys = Array.from({ length: 12 }, (_, at) => `q${at}`);
        const said = (answers) => text(answers.map((it) => it.content?.it).join());
        if (!isNew) return said(await Promise.all(keys.map((key) => ctx.mcpReq.elicitInput(form(key)))));
        const given = ctx.mcpReq.inputResponses;
        if (given !== undefined) return said(keys.map((key) => given[key]));
        const requests = keys.map((key) => [key, inputRequired.elicit(form(key))]);
        return inputRequired({ inputRequests: Object.fromEntries(requests) });
      }
      case 'sample': {
        const wanted = {
          messages: [{ role: 'user', content: { type: 'text', text: plain(given.hidden) ?? 'Hello' } }],
          includeContext: 'allServers',
          maxTokens: 10,
        };
        const old = () => server.request({ method: 'sampling/createMessage', params: wanted });
        if (given.count !== undefined) {
          const all = await Promise.allSettled(Array.from({ length: given.count }, old));
          return text(`${all.filter((it) => it.status === 'fulfilled').length} answers`);
        }
        const answer = await ask('thought', old, inputRequired.createMessage(wanted));
        return answer.resultType ? answer : text(`${answer.model}: ${answer.content.text}`);
      }
      case 'needy': {
        const declared = ctx.mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
        if (declared.sampling !== undefined) return text('it has sampling');
        throw Object.assign(new Error('this needs sampling'), {
          code: -32_021,
          data: { requiredCapabilities: { sampling: {} } },
        });
      }
      case 'roots': {
        const answer = await ask(
          'roots',
          () => server.request({ method: 'roots/list' }),
          inputRequired.listRoots(),
        );
        return answer.resultType ? answer : text(JSON.stringify(answer.roots));
      }
      default:
        return text(params.name);
    }
  });
  return server;
}

switch (process.argv[2]) {
  case '2025':
    await makeServer(false).connect(new StdioServerTransport());
    break;
  case '2026':
    serveStdio(({ era }) => makeServer(era === 'modern'), { legacy: 'reject' });
    break;
  default:
    serveStdio(({ era }) => makeServer(era === 'modern'));
}
