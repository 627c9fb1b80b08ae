// Packages for tests of installation: a Toolspace tool in one Python file, with the life cycle that a test wants.
import type { JsonObject } from '../../src/index.js';
import { bareServer } from './mcp-upstream.js';
import type { Files } from './workbench.js';

export interface CounterOptions {
  readonly version?: string;
  /** What the tool answers, to tell versions apart. */
  readonly answer?: string;
  readonly smoke?: JsonObject;
  readonly killSwitch?: JsonObject;
  readonly env?: readonly JsonObject[];
  readonly scopes?: readonly JsonObject[];
  readonly install?: JsonObject;
  readonly more?: JsonObject;
  /** More Python for the program. */
  readonly code?: string;
}

export const passingSmoke: JsonObject = {
  kind: 'action-call',
  action: 'count',
  arguments: { text: 'a b' },
  success: { json_pointer_equals: { '/words': 2 } },
};

/** The files of a package named `counter`. */
export function counterPackage(options: CounterOptions = {}): Files {
  const { version = '1.0.0', answer = 'one' } = options;
  const manifest = {
    manifest_version: '0.2',
    tool: {
      id: 'counter',
      version,
      name: 'Counter',
      summary: 'Counts the words of a text.',
      homepage: 'https://tools.example.com/counter',
    },
    runtime: {
      kind: 'python-module',
      install: options.install ?? { method: 'pip', package: 'counter-tool', version_spec: '==1.0.0' },
      entrypoint: { command: ['python3', '-m', 'counter'] },
    },
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
    actions: [
      {
        name: 'count',
        summary: 'Count the words.',
        invocation: { kind: 'stdin-json', argv_template: ['count'] },
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        output: { format: 'json' },
        side_effects: 'none',
      },
    ],
    smoke: options.smoke ?? passingSmoke,
    kill_switch: options.killSwitch ?? { kind: 'manual', instructions_url: 'https://example.com/remove' },
    ...options.more,
  };
  return {
    'counter/toolspace.json': JSON.stringify(manifest, null, 2),
    'counter/counter.py': `import json, os, sys
answer = ${JSON.stringify(answer)}
${options.code ?? ''}
if len(sys.argv) > 1 and sys.argv[1] == 'count':
    text = json.load(sys.stdin)['text']
    print(json.dumps({'words': len(text.split()), 'answer': answer}))
`,
  };
}

/** An MCP server named `desk`. It announces more tools than its manifest declares. */
export function serverPackageWith({
  version = '1.0.0',
  smoke,
}: {
  readonly version?: string;
  readonly smoke: JsonObject;
}): Files {
  const page = 'https://example.com/desk';
  const manifest = {
    manifest_version: '0.2',
    tool: { id: 'desk', version, name: 'Desk', summary: 'A desk.', homepage: page, license: 'MIT' },
    runtime: {
      kind: 'mcp-stdio',
      install: { method: 'git', url: page, ref: '0'.repeat(40) },
      entrypoint: { command: ['node', 'server.mjs'] },
    },
    actions: [
      {
        name: 'go',
        summary: 'Go.',
        invocation: { kind: 'mcp-tool', tool_name: 'go' },
        input: { type: 'object', properties: {} },
        output: { format: 'json' },
        side_effects: 'none',
      },
    ],
    smoke,
    kill_switch: { kind: 'manual', instructions_url: page },
  };
  const answers = `
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const answers = {
  go: () => text({ gone: true }),
  health: ({ deep }) => text({ ok: deep }),
  broken: () => text({ error: 'no paper' }),
  refused: () => ({ content: [{ type: 'text', text: 'the desk is closed' }], isError: true }),
};
on = {
  'tools/list': () => ({ tools: Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args }) => answers[name](args),
};`;
  return { 'desk/toolspace.json': JSON.stringify(manifest), 'desk/server.mjs': bareServer(answers) };
}
