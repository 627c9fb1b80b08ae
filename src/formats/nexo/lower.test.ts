import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import { noGuardrails } from '../../model/guardrails.js';
import type { Package } from '../../model/package.js';
import type { ProgramTarget } from '../../model/program.js';
import { type Template, textTemplate } from '../../model/template.js';
import { defaultParseOptions } from '../index.js';
import { nexo } from './format.js';

function packageOf(text: string): Package {
  const result = nexo.parse(memoryBundle({ 'plugin.toml': text }, 'plugin.toml'), defaultParseOptions);
  expect(result.diagnostics.filter((it) => it.severity === 'error')).toEqual([]);
  return result.package as Package;
}

const rich = `
[plugin]
id = "harbour"
version = "1.4.0"
name = "Harbour watch"
description = "Tells when ships come in."
min_agent_version = "0.9.0"
priority = -10

[capabilities]
tools = ["ships_due", "berth_of"]
hooks = ["before_tool_call", "on_start"]
channels = ["radio"]
providers = ["harbour_llm"]
pollers = ["gauge"]

[transport]
kind = "stdio"
command = "./bin/watch"
args = ["--quiet", "a b"]

[requires]
bins = ["curl", "jq", "curl"]
env = ["HARBOUR_KEY", "HARBOUR_KEY"]

[context]
passthrough = true

[outbound_bindings]
radio = ["coast"]

[mcp_servers.berths]
type = "stdio"
command = "\${EXTENSION_ROOT}/bin/berths"
args = ["--owner=\${EXTENSION_ID}", "\${HOME}"]
cwd = "data/today"
log_level = "warning"
context_passthrough = true

[mcp_servers.berths.env]
AGENT = "\${EXTENSION_VERSION} on \${AGENT_VERSION}"
KEY = "<\${HARBOUR_KEY}>"
LIB = "\${EXTENSION_ROOT}/lib"

[mcp_servers.map]
transport = "streamable_http"
url = "https://mcp.example.com/\${EXTENSION_ID}"
headers = { Authorization = "Bearer \${HARBOUR_KEY}" }

[meta]
author = "Jo"
since = 2024-02-29
home_port = { name = "Oslo" }
`;

const tool = (name: string) => ({
  name,
  description: 'Tells when ships come in.',
  input: { type: 'object' },
  annotations: {},
  effect: 'write',
  effectDeclared: false,
  idempotent: false,
  untrustedInputs: [],
  approval: 'none',
  examples: [],
  action: { kind: 'upstream', program: '@extension', tool: name },
});

const key = { kind: 'slot', slot: 'HARBOUR_KEY' } as const;
const text = (value: string) => ({ kind: 'text', text: value }) as const;
const parts = (...all: Template['parts']): Template => ({ parts: all });

test('every field of the manifest is in the package', () => {
  expect(packageOf(rich)).toEqual({
    format: 'nexo',
    id: 'harbour',
    version: '1.4.0',
    name: 'Harbour watch',
    description: 'Tells when ships come in.',
    programs: [
      {
        name: '@extension',
        role: 'extension',
        lifetime: 'persistent',
        protocol: 'nexo',
        target: {
          kind: 'process',
          command: ['./bin/watch', '--quiet', 'a b'].map(textTemplate),
          directory: '',
          environment: [],
        },
        callerContext: true,
      },
      {
        name: 'berths',
        role: 'mcp-server',
        lifetime: 'persistent',
        protocol: 'mcp',
        target: {
          kind: 'process',
          command: ['../../bin/berths', '--owner=harbour', `\${HOME}`].map(textTemplate),
          directory: 'data/today',
          environment: [
            { name: 'AGENT', value: textTemplate('1.4.0 on 1.0.0') },
            { name: 'KEY', value: parts(text('<'), key, text('>')) },
            { name: 'LIB', value: textTemplate('../../lib') },
          ],
        },
        callerContext: true,
      },
      {
        name: 'map',
        role: 'mcp-server',
        lifetime: 'persistent',
        protocol: 'mcp',
        target: {
          kind: 'url',
          url: 'https://mcp.example.com/harbour',
          headers: [{ name: 'Authorization', value: parts(text('Bearer '), key) }],
        },
        callerContext: false,
      },
    ],
    tools: [tool('ships_due'), tool('berth_of')],
    prompts: [],
    hooks: [{ point: 'before_tool_call', program: '@extension', priority: -10 }],
    needs: { binaries: ['curl', 'jq'], hostVersion: '0.9.0' },
    slots: [
      {
        name: 'HARBOUR_KEY',
        label: 'HARBOUR_KEY',
        secret: true,
        required: true,
        type: 'text',
        source: { kind: 'operator' },
        delivery: { kind: 'environment', variable: 'HARBOUR_KEY' },
        audience: { kind: 'unbound' },
      },
    ],
    permissions: {
      origin: 'default',
      network: { kind: 'public' },
      filesystem: 'read-write',
      stateDirectory: true,
      scopes: [],
    },
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: true,
    targets: [],
    notServed: [
      { label: 'channels', value: ['radio'] },
      { label: 'providers', value: ['harbour_llm'] },
      { label: 'pollers', value: ['gauge'] },
      { label: 'hooks', value: ['on_start'] },
      { label: 'outbound bindings', value: { radio: ['coast'] } },
    ],
    facts: [
      { label: 'log level of berths', value: 'warning' },
      { label: 'author', value: 'Jo' },
      { label: 'since', value: '2024-02-29' },
      { label: 'home port', value: { name: 'Oslo' } },
    ],
  });
});

describe('transports', () => {
  const head = '[plugin]\nid = "tides"\nversion = "1.0.0"\n[capabilities]\ntools = ["t"]\n[transport]\n';

  test.each<[string, ProgramTarget]>([
    ['type = "nats"\nsubject_prefix = "ext.tides"', { kind: 'nats', subjectPrefix: 'ext.tides' }],
    [
      'kind = "http"\nurl = "https://localhost:8080/rpc"',
      { kind: 'url', url: 'https://localhost:8080/rpc', headers: [] },
    ],
    [
      'type = "stdio"\ncommand = "tides"',
      { kind: 'process', command: [textTemplate('tides')], directory: '', environment: [] },
    ],
  ])('the transport %j becomes the right target', (transport, target) => {
    const { programs, name, description, needs, slots } = packageOf(`${head}${transport}\n`);
    expect(programs[0]).toMatchObject({
      target,
      protocol: 'nexo',
      lifetime: 'persistent',
      callerContext: false,
    });
    expect([name, description, needs, slots]).toEqual(['tides', 'tides', { binaries: [] }, []]);
  });
});

test('the package is deeply frozen', () => {
  const { programs, facts } = packageOf(rich);
  expect(() => Object.assign(programs[1]?.target as object, { kind: 'x' })).toThrow(TypeError);
  expect(() => (facts as unknown[]).push(1)).toThrow(TypeError);
});

test.each([
  ['node', ['server.mjs', '-v'], { language: 'node', packages: [] }],
  ['nodejs', ['server.mjs'], { language: 'node', packages: [] }],
  ['python3', ['-m', 'desk'], { language: 'python', packages: [] }],
  ['python', ['desk.py'], { language: 'python', packages: [] }],
  ['python3.12', ['desk.py'], { language: 'python', version: '3.12', packages: [] }],
  ['/usr/bin/node', ['server.mjs'], undefined],
  ['./node', ['server.mjs'], undefined],
  ['npx', ['-y', 'desk'], undefined],
  ['nodemon', ['server.mjs'], undefined],
])(
  'the command %s gets the right runtime in a server, a sidecar and an extension',
  (command, args, runtime) => {
    const commandLines = `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
    const head = '[plugin]\nid = "desk"\nversion = "1.0.0"\n[capabilities]\ntools = ["a"]\n';
    const files = {
      'plugin.toml': `${head}[transport]\ntype = "stdio"\n${commandLines}[mcp_servers.inline]\ntype = "stdio"\n${commandLines}`,
    };
    const sidecar = {
      'plugin.toml': `${head}[transport]\ntype = "stdio"\n${commandLines}`,
      '.mcp.json': JSON.stringify({ mcpServers: { sidecar: { command, args } } }),
    };
    const argv = (runtime === undefined ? [command, ...args] : args).map((it) => textTemplate(it));
    const expected = { kind: 'process', command: argv, ...(runtime === undefined ? {} : { runtime }) };
    const targets = [files, sidecar].flatMap((it) => {
      const { package: pkg } = nexo.parse(memoryBundle(it, 'plugin.toml'), defaultParseOptions);
      return pkg?.programs.map((program) => [program.name, program.target]) ?? [];
    });
    const whole = { ...expected, directory: '', environment: [] };
    expect(targets).toEqual(['@extension', 'inline', '@extension', 'sidecar'].map((it) => [it, whole]));
  },
);
