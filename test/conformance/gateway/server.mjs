// An MCP server with everything that the conformance suite looks for. It runs behind the host, in a package called "test":
// the host puts "test_" in front of the names below. Written with the official SDK. The first argument selects the era.
import { createHmac } from 'node:crypto';
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as content from './content.mjs';
import { forms, schemas } from './schemas.mjs';

const { said, text } = content;
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A form with one field. */
const question = (message, field, type = 'string') => ({
  mode: 'form',
  message,
  requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
});
const sample = (words) => ({
  messages: [{ role: 'user', content: { type: 'text', text: words } }],
  maxTokens: 100,
});

/** A state that nobody else can make. */
const sign = (state) => `${state}.${createHmac('sha256', 'conformance').update(state).digest('hex')}`;
function opened(state) {
  const [value] = String(state).split('.');
  if (sign(value) !== state)
    throw Object.assign(new Error('the requestState was changed'), { code: -32_602 });
  return value;
}

/** What a client can be asked, in the form of each era. */
const kinds = {
  elicit: { now: (it) => inputRequired.elicit(it), before: (it, { mcpReq }) => mcpReq.elicitInput(it) },
  sample: {
    now: (it) => inputRequired.createMessage(it),
    before: (params, { server }) => server.request({ method: 'sampling/createMessage', params }),
  },
  roots: {
    now: () => inputRequired.listRoots(),
    before: (_, { server }) => server.request({ method: 'roots/list' }),
  },
};

/** Answers of the client by key. Undefined: `required` is the answer for now. */
async function ask({ isNew, mcpReq, server }, wanted, state) {
  const entries = Object.entries(wanted);
  if (!isNew) {
    const each = ([key, [kind, it]]) =>
      kinds[kind].before(it, { mcpReq, server }).then((answer) => [key, answer]);
    return { answers: Object.fromEntries(await Promise.all(entries.map(each))) };
  }
  const answers = mcpReq.inputResponses ?? {};
  if (entries.every(([key]) => answers[key] !== undefined)) return { answers };
  const inputRequests = Object.fromEntries(entries.map(([key, [kind, it]]) => [key, kinds[kind].now(it)]));
  return {
    required: inputRequired({ inputRequests, ...(state === undefined ? {} : { requestState: sign(state) }) }),
  };
}

/** A tool that asks, and then says what was answered. */
const asking = (wanted, state) => async (call) => {
  if (call.isNew && call.mcpReq.inputResponses !== undefined && state !== undefined) opened(call.state);
  const { answers, required } = await ask(call, wanted(call), state);
  return required ?? text(`state-ok ${JSON.stringify(answers)}`);
};

const tools = {
  simple_text: () => text('This is a simple text.'),
  image_content: () => said(content.image),
  audio_content: () => said(content.audio),
  embedded_resource: () =>
    said(content.embedded('test://embedded-resource', 'text/plain', 'A resource within an answer.')),
  multiple_content_types: () =>
    said(
      { type: 'text', text: 'Several kinds of content:' },
      content.image,
      content.embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  error_handling: () => text('This tool always fails.', { isError: true }),
  tool_with_logging: async ({ mcpReq }) => {
    for (const it of ['started', 'processing data', 'completed']) {
      await mcpReq.log('info', `Tool execution ${it}`);
      await pause(50);
    }
    return text('Logged three times.');
  },
  logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'Nobody asked for this.');
    return text('Logged.');
  },
  tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await pause(50);
    }
    return text('Reported three times.');
  },
  sampling: asking(({ args }) => ({ answer: ['sample', sample(args.prompt)] })),
  elicitation: asking(({ args }) => ({ answer: ['elicit', { ...question(args.message, 'username') }] })),
  streaming_elicitation: asking(() => ({ answer: ['elicit', question('Which one?', 'name')] })),
  reconnection: async () => {
    await pause(1500);
    return text('Still here.');
  },
  missing_capability: ({ mcpReq }) => {
    const declared = mcpReq.envelope?.[capabilitiesKey] ?? {};
    if (declared.sampling !== undefined) return text('The client has it.');
    throw Object.assign(new Error('this needs sampling'), {
      code: -32_021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  },
  input_required_result_elicitation: asking(() => ({
    user_name: ['elicit', question('What is your name?', 'name')],
  })),
  input_required_result_sampling: asking(() => ({
    capital_question: ['sample', sample('What is the capital of France?')],
  })),
  input_required_result_list_roots: asking(() => ({ client_roots: ['roots'] })),
  input_required_result_request_state: asking(
    () => ({ confirm: ['elicit', question('Please confirm', 'ok', 'boolean')] }),
    'confirm',
  ),
  input_required_result_tampered_state: asking(
    () => ({ confirm: ['elicit', question('Please confirm', 'ok', 'boolean')] }),
    'tampered',
  ),
  input_required_result_multiple_inputs: asking(
    () => ({
      user_name: ['elicit', question('What is your name?', 'name')],
      greeting: ['sample', sample('Generate a greeting')],
      client_roots: ['roots'],
    }),
    'multiple',
  ),
  input_required_result_multi_round: async (call) => {
    const color = ['elicit', question('Step 2: What is your favorite color?', 'color')];
    const name = ['elicit', question('Step 1: What is your name?', 'name')];
    const isSecond = call.isNew && call.state !== undefined && opened(call.state) !== 'start';
    if (!isSecond) {
      const { answers, required } = await ask(call, { step1: name }, 'start');
      if (required !== undefined) return required;
      if (!call.isNew) {
        const { answers: last } = await ask(call, { step2: color });
        return text(JSON.stringify({ ...answers, ...last }));
      }
    }
    const { answers, required } = await ask(call, { step2: color }, 'named');
    return required ?? text(JSON.stringify(answers));
  },
  input_required_result_capabilities: asking(({ isNew, mcpReq }) => {
    const declared = isNew ? (mcpReq.envelope?.[capabilitiesKey] ?? {}) : { sampling: {} };
    return {
      ...(declared.sampling === undefined ? {} : { thought: ['sample', sample('Hello')] }),
      ...(declared.elicitation === undefined ? {} : { name: ['elicit', question('Who?', 'name')] }),
    };
  }),
  json_schema_2020_12_tool: ({ args }) => text(JSON.stringify(args)),
  by_header: ({ args }) => text(JSON.stringify(args)),
  trigger_tool_change: async ({ server, state: _ }) => {
    hidden.tools = !hidden.tools;
    await server.sendToolListChanged();
    return text('One tool came or went.');
  },
  trigger_prompt_change: async ({ server }) => {
    hidden.prompts = !hidden.prompts;
    await server.sendPromptListChanged();
    return text('One prompt came or went.');
  },
  changing: () => text('Here for now.'),
};
for (const [name, requestedSchema] of Object.entries(forms))
  tools[name] = async (call) => {
    const asked = { mode: 'form', message: 'Please look at this form', requestedSchema };
    const { answers, required } = await ask(call, { answer: ['elicit', asked] });
    return required ?? text(`Elicitation completed: ${JSON.stringify(answers.answer)}`);
  };

const prompts = {
  ...content.prompts,
  input_required_result_prompt: {
    get: async (_, call) => {
      const wanted = { user_context: ['elicit', question('What context should the prompt use?', 'context')] };
      const { answers, required } = await ask(call, wanted);
      return required ?? content.messages({ type: 'text', text: JSON.stringify(answers) });
    },
  },
  changing: { get: () => content.messages({ type: 'text', text: 'Here for now.' }) },
};

/** What the triggers have taken away. All connections of a process have the same lists. */
const hidden = { tools: false, prompts: false };

function makeServer(isNew) {
  const server = new Server(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true },
        logging: {},
        completions: {},
      },
    },
  );
  const listed = (all, kind) => Object.keys(all).filter((it) => it !== 'changing' || !hidden[kind]);
  server.setRequestHandler('tools/list', () => ({
    tools: listed(tools, 'tools').map((name) => ({
      name,
      description: `Answers with ${name.replaceAll('_', ' ')}.`,
      inputSchema: schemas[name] ?? schemas.none,
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => {
    const call = { args: params.arguments ?? {}, mcpReq, server, isNew, state: mcpReq.requestState?.() };
    return tools[params.name](call);
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: listed(prompts, 'prompts').map((name) => ({
      name,
      description: `Says ${name.replaceAll('_', ' ')}.`,
      arguments: (prompts[name].arguments ?? []).map((it) => ({
        name: it,
        description: 'Any text.',
        required: true,
      })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    prompts[params.name].get(params.arguments ?? {}, { mcpReq, server, isNew }),
  );
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((it) => it.startsWith(params.argument.value));
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.setRequestHandler('resources/list', () => ({ resources: content.resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: content.templates }));
  server.setRequestHandler('resources/read', ({ params }) => content.read(params.uri));
  if (!isNew) {
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
}

if (process.argv[2] === '2025') await makeServer(false).connect(new StdioServerTransport());
else serveStdio(({ era }) => makeServer(era === 'modern'));
