// Valid manifests of every format, of about the number of lines asked for.

const words =
  'Looks things up, compares them and writes a short report about what has changed since last time.';

export function manifests(lines) {
  return [patch(lines), talos(lines), toolspace(lines), findagent(lines), nexo(lines)];
}

function patch(lines) {
  const count = Math.max(1, Math.floor((lines - 40) / 5));
  const names = Array.from({ length: Math.min(count, 60) }, (_, index) => `input_${index}`);
  const inputs = names.map(
    (name) =>
      `#   - name: ${name}\n#     type: string\n#     description: ${words}\n#     tainted_ok: true\n#     required: true`,
  );
  const text = `# ---
# name: bench_tool
# version: "1.2.3"
# description: ${words}
# inputs:
${inputs.join('\n')}
# outputs:
#   type: object
#   description: The report.
# capabilities:
#   network: false
#   filesystem: none
#   human_confirm: false
# runtime:
#   language: python
#   python_version: "3.12"
#   packages: []
# ---
import json
import sys


def main(${names.join(', ')}):
    return {"ok": True}


if __name__ == "__main__":
    args = json.loads(sys.stdin.read())
    print(json.dumps(main(**args)))
`;
  return { format: 'patch', path: 'bench_tool.py', text };
}

const parameters = {
  type: 'object',
  properties: {
    query: { type: 'string', description: words },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
  },
  required: ['query'],
};

function talos(lines) {
  const functions = Array.from({ length: Math.max(1, Math.floor((lines - 10) / 20)) }, (_, index) => ({
    name: `look_${index}`,
    description: words,
    parameters,
  }));
  const manifest = { id: 'bench-tool', name: 'Bench tool', description: words, version: '1.2.3', functions };
  const handlers = functions
    .map(({ name }) => `export async function ${name}(args, context) {\n  return { query: args.query };\n}\n`)
    .join('\n');
  return {
    format: 'talos',
    path: 'bench-tool/manifest.json',
    text: { 'bench-tool/manifest.json': JSON.stringify(manifest, null, 2), 'bench-tool/index.js': handlers },
  };
}

function toolspace(lines) {
  const actions = Array.from(
    { length: Math.max(1, Math.min(64, Math.floor((lines - 50) / 34))) },
    (_, index) => ({
      name: `look_${index}`,
      summary: words,
      invocation: { kind: 'stdin-json' },
      input: { ...parameters, additionalProperties: false },
      output: { format: 'json', schema: { type: 'object' } },
      side_effects: 'read',
      idempotent: true,
      examples: [{ description: words, input: { query: 'a' } }],
    }),
  );
  const manifest = {
    manifest_version: '0.2',
    tool: {
      id: 'bench-tool',
      version: '1.2.3',
      name: 'Bench tool',
      summary: words,
      homepage: 'https://example.com/bench',
      license: 'MIT',
      tags: ['bench'],
    },
    runtime: {
      kind: 'python-module',
      install: { method: 'pip', package: 'bench-tool', version_spec: '==1.2.3' },
      entrypoint: { command: ['python', '-m', 'bench_tool'] },
    },
    env: [{ name: 'BENCH_REGION', prompt: words, secret: false, required: false, default: 'eu' }],
    actions,
    smoke: {
      kind: 'action-call',
      action: 'look_0',
      arguments: { query: 'a' },
      success: { no_error_field: true },
    },
    kill_switch: { kind: 'manual', instructions_url: 'https://example.com/bench/revoke' },
  };
  return { format: 'toolspace', path: 'toolspace/toolspace.json', text: JSON.stringify(manifest, null, 2) };
}

function findagent(lines) {
  const tools = Array.from(
    { length: Math.max(1, Math.min(40, Math.floor((lines - 15) / 30))) },
    (_, index) => ({
      name: `look_${index}`,
      description: words,
      input_schema: parameters,
      annotations: { readOnlyHint: true },
      action: {
        type: 'http',
        method: 'GET',
        url: `https://api.example.com/v1/things/${index}?query={query}&limit={limit}`,
      },
    }),
  );
  const manifest = {
    name: 'Bench agent',
    description: words,
    system_prompt: `${words} ${words}`,
    kind: 'mcp-tool',
    tools,
    example_prompts: ['What changed?'],
  };
  return { format: 'findagent', path: 'findagent/findagent.json', text: JSON.stringify(manifest, null, 2) };
}

function nexo(lines) {
  const servers = Array.from(
    { length: Math.max(1, Math.floor((lines - 30) / 5)) },
    (_, index) =>
      `[mcp_servers.server${index}]\ntype = "stdio"\ncommand = "./server"\nargs = ["--number", "${index}"]\n`,
  );
  const text = `[plugin]
id = "bench-tool"
version = "1.2.3"
name = "Bench tool"
description = "${words}"
min_agent_version = "0.1.0"
priority = 0

[capabilities]
tools = ["look", "compare", "report"]
hooks = []

[transport]
type = "stdio"
command = "./bench-tool"
args = []

[requires]
bins = ["curl"]
env = []

[context]
passthrough = false

${servers.join('\n')}
[meta]
author = "bench"
license = "MIT"
`;
  return {
    format: 'nexo',
    path: 'nexo/plugin.toml',
    text: { 'nexo/plugin.toml': text, 'nexo/bench-tool': '#!/bin/sh\n', 'nexo/server': '#!/bin/sh\n' },
  };
}
