// An MCP server written with the official SDK that uses most features of both protocol eras.
import { inputRequired, Server } from '@modelcontextprotocol/server';

const none = { type: 'object', properties: {} };
const numbers = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#/$defs/n' } },
  required: ['a', 'b'],
  $defs: { n: { type: 'integer' } },
};
const sum = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };

const tools = [
  {
    name: 'add',
    title: 'Add numbers',
    description: 'Adds two numbers.',
    inputSchema: numbers,
    outputSchema: sum,
    annotations: { readOnlyHint: true, title: 'Add numbers' },
    _meta: { 'desk/color': 'green' },
  },
  {
    name: 'say',
    description: 'Says a text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  {
    name: 'gruß',
    description: 'Greets a country, whose name is also sent in a header.',
    inputSchema: { type: 'object', properties: { land: { type: 'string', 'x-mcp-header': 'Land' } } },
  },
  { name: 'picture', description: 'A picture, a link and text.', inputSchema: none },
  { name: 'steps', description: 'Works in steps and reports progress.', inputSchema: none },
  { name: 'fail', description: 'Fails with a message.', inputSchema: none },
  { name: 'wait', description: 'Waits until it is canceled.', inputSchema: none },
  { name: 'canceled', description: 'How many waits were canceled.', inputSchema: none },
  { name: 'consult', description: 'Asks the person.', inputSchema: none },
  { name: 'think', description: 'Asks the model.', inputSchema: none },
  { name: 'roots', description: 'Asks for the roots.', inputSchema: none },
  { name: 'grow', description: 'Adds a tool.', inputSchema: none },
  {
    name: 'fetch',
    description: 'Fetches a page.',
    inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
  },
];

const question = {
  message: 'Which color?',
  requestedSchema: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
};
const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 };

const text = (it) => ({ content: [{ type: 'text', text: it }] });

/** State that several connections share. */
export function sampleState() {
  return { more: [], waiting: 0, canceled: 0, onGrow: () => {} };
}

/** `isNew`: the client uses the newer era. */
export function makeSampleServer(state, isNew) {
  const server = new Server(
    { name: 'desk', version: '3.2.1' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
      },
      instructions: 'Add before you say.',
    },
  );
  // Four tools per page.
  server.setRequestHandler('tools/list', ({ params }) => {
    const all = [...tools, ...state.more];
    const from = Number(params?.cursor ?? 0);
    return {
      tools: all.slice(from, from + 4),
      ...(from + 4 < all.length ? { nextCursor: String(from + 4) } : {}),
    };
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      {
        name: 'greet',
        title: 'Greet',
        description: 'A greeting.',
        arguments: [{ name: 'who', required: true }],
      },
    ],
  }));
  server.setRequestHandler('prompts/get', ({ params }) => ({
    description: 'A greeting.',
    messages: [
      { role: 'user', content: { type: 'text', text: `Greet ${params.arguments?.who}.` } },
      { role: 'assistant', content: { type: 'text', text: 'I will.' } },
    ],
  }));
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: 'desk://drawer/pens', name: 'pens', mimeType: 'text/plain', description: 'The pens.' },
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'desk://drawer/{thing}', name: 'drawer', description: 'A drawer.' }],
  }));
  server.setRequestHandler('resources/read', ({ params }) => ({
    contents: [{ uri: params.uri, mimeType: 'text/plain', text: `all of ${params.uri}` }],
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const given = params.arguments ?? {};
    switch (params.name) {
      case 'add': {
        const value = { sum: given.a + given.b };
        return { ...text(JSON.stringify(value)), structuredContent: value, _meta: { 'desk/took': 3 } };
      }
      case 'gruß':
        return text(`Hallo ${given.land}`);
      case 'say':
        return text(String(given.text));
      case 'picture':
        return {
          content: [
            { type: 'text', text: 'a dot', annotations: { audience: ['user'] } },
            { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
            { type: 'resource_link', uri: 'desk://drawer/pens', name: 'pens', _meta: { 'desk/a': 1 } },
            { type: 'resource', resource: { uri: 'desk://note', mimeType: 'text/plain', text: 'a note' } },
          ],
          _meta: { 'desk/took': 4 },
        };
      case 'steps': {
        const token = ctx.mcpReq._meta?.progressToken;
        for (const progress of token === undefined ? [] : [1, 2, 3])
          await ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: token, progress, total: 3, message: `step ${progress}` },
          });
        return text(token === undefined ? 'progress not requested' : 'done');
      }
      case 'fail':
        return { ...text('there are no pens left'), isError: true };
      case 'wait':
        state.waiting++;
        await new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve));
        state.waiting--;
        state.canceled++;
        return text('too late');
      case 'canceled':
        return text(`${state.waiting} wait, ${state.canceled} gave up`);
      case 'consult': {
        if (!isNew) {
          const answer = await ctx.mcpReq.elicitInput({ mode: 'form', ...question });
          return text(`${answer.action} ${answer.content?.color ?? ''}`.trim());
        }
        const answer = ctx.mcpReq.inputResponses?.color;
        if (answer === undefined)
          return inputRequired({
            inputRequests: { color: inputRequired.elicit({ mode: 'form', ...question }) },
            requestState: 'first',
          });
        return text(`${answer.action} ${answer.content?.color ?? ''}`.trim());
      }
      case 'think': {
        if (!isNew) {
          try {
            await server.request({ method: 'sampling/createMessage', params: sampling });
            return text('it thought');
          } catch (error) {
            return text(`no: ${error.message}`);
          }
        }
        return inputRequired({ inputRequests: { thought: inputRequired.createMessage(sampling) } });
      }
      case 'roots': {
        if (!isNew) return text(JSON.stringify((await server.request({ method: 'roots/list' })).roots));
        const answer = ctx.mcpReq.inputResponses?.roots;
        if (answer === undefined)
          return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
        return text(JSON.stringify(answer.roots));
      }
      case 'grow':
        state.more.push({ name: `more_${state.more.length}`, description: 'One more.', inputSchema: none });
        await server.sendToolListChanged();
        state.onGrow();
        return text('grown');
      case 'fetch':
        try {
          return text(await (await fetch(String(given.url))).text());
        } catch (error) {
          return { ...text(`cannot fetch: ${error.cause?.message ?? error.message}`), isError: true };
        }
      default:
        return { ...text(`there is no ${params.name}`), isError: true };
    }
  });
  return server;
}
