// One package of each format, and one of each way to get code that a Toolspace manifest names, in two versions each.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/index.js';
import { type Files, tarball, zip } from './archive.js';
import { counterPackage } from './lifecycle-packages.js';
import type { PackageOrigin } from './package-origin.js';
import { findagent, pythonTool, talos } from './workbench.js';

export type WalkVersion = 'one' | 'two';

/** A package in two versions. */
export interface Walk {
  readonly title: string;
  readonly id: string;
  /** Makes this version the newest one, and returns the source to install. */
  publish(version: WalkVersion): string;
  /** The tool that answers with the version. Absent: the package has only prompts. */
  readonly tool?: string;
  readonly hasSmoke?: boolean;
  /** What the source of each version is exactly. */
  readonly resolved?: RegExp;
  /** What the manifest's own range was resolved to, as the plan shows it. */
  readonly fetches?: (version: WalkVersion) => string;
}

const number = (version: WalkVersion) => (version === 'one' ? '1.0.0' : '1.1.0');

function write(folder: string, files: Files): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const inFolder = (files: Files, id: string): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name.replace(`${id}/`, ''), text]));

/** The files of a Toolspace package; without its code if another install method brings it. */
function toolspaceFiles(
  version: WalkVersion,
  install: JsonObject,
  command: readonly string[],
  kind: string,
): Files {
  const files = inFolder(counterPackage({ version: number(version), install }), 'counter');
  const manifest = JSON.parse(files['toolspace.json'] ?? '');
  manifest.runtime = { ...manifest.runtime, kind, entrypoint: { command } };
  return { 'toolspace.json': JSON.stringify(manifest) };
}
const python = (version: string) =>
  inFolder(counterPackage({ answer: version }), 'counter')['counter.py'] ?? '';
const node = (version: string) => `#!/usr/bin/env node
let text = '';
for await (const it of process.stdin) text += it;
const words = JSON.parse(text).text.split(' ').length;
console.log(JSON.stringify({ words, answer: ${JSON.stringify(version)} }));
`;
const runPython = ['python3', '-m', 'counter'];

const nexoFiles = (version: WalkVersion): Files => ({
  'plugin.toml': `[plugin]
id = "subnet-plan"
version = "${number(version)}"
name = "Subnet plan"
description = "Answers with its version."

[capabilities]
tools = ["count"]

[transport]
type = "stdio"
command = "node"
args = ["extension.mjs"]
`,
  'extension.mjs': `import { createInterface } from 'node:readline';
const tools = [{ name: 'count', description: 'Count.', input_schema: { type: 'object' } }];
const answers = {
  initialize: () => ({ server_version: '1.0.0', tools, hooks: [] }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ answer: '${version}' }),
  shutdown: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.() ?? {} }));
}
`,
});

const skillFiles = (version: WalkVersion): Files => ({
  'README.md': '# Skills\n',
  'skills/review/SKILL.md': `---\nname: review\ndescription: Reviews a change, ${version}.\n---\nRead it twice.\n`,
});

export interface WalkPlace {
  readonly origin: PackageOrigin;
  /** For packages that are installed from this machine. */
  readonly folder: string;
}

/** All walks. `place` is asked when a walk publishes something. */
export function walksAt(place: () => WalkPlace): readonly Walk[] {
  const below = (name: string, files: Files) => write(join(place().folder, name), files);
  const inCounter = { id: 'counter', tool: 'counter/count', hasSmoke: true } as const;
  return [
    {
      title: 'Patch, a file',
      id: 'shout',
      tool: 'shout/shout',
      publish: (version) => {
        const text = pythonTool({ name: 'shout', body: [`return {"answer": "${version}"}`] });
        below('', { 'shout.py': text.replace('1.0.0', number(version)) });
        return join(place().folder, 'shout.py');
      },
    },
    {
      title: 'Talos, a Python index',
      id: 'numbers',
      tool: 'numbers/count',
      resolved: /^numbers-pack 1\.[01]\.0$/,
      publish(version) {
        const files = talos({
          ...{ id: 'numbers', functions: ['count'], rest: { version: number(version) } },
          code: `export function count() { return { answer: '${version}' }; }\n`,
        });
        place().origin.python('numbers-pack', number(version), '', inFolder(files, 'numbers'));
        return 'pypi:numbers-pack>=1,<2';
      },
    },
    {
      title: 'nexo, npm',
      id: 'subnet-plan',
      tool: 'subnet-plan/count',
      resolved: /^subnet-plan 1\.[01]\.0$/,
      publish(version) {
        place().origin.npm({ name: 'subnet-plan', version: number(version) }, nexoFiles(version));
        return 'npm:subnet-plan@^1';
      },
    },
    {
      title: 'FindAgent, git',
      id: 'counting-agent',
      tool: 'counting-agent/count',
      resolved: /[0-9a-f]{40}/,
      publish(version) {
        const manifest = JSON.parse(
          findagent('Counting agent', {
            kind: 'code-bundle',
            version: number(version),
            entrypoint: { path: 'main.py' },
            runtime: { kind: 'python', version: '>=3.9' },
            tools: [
              { name: 'count', description: 'Count.', input_schema: { type: 'object', properties: {} } },
            ],
          }),
        );
        const { system_prompt: _prompt, ...rest } = manifest;
        const code = `def handler(call):\n    return {"answer": "${version}"}\n`;
        place().origin.commit('agent', { 'findagent.json': JSON.stringify(rest), 'main.py': code });
        return `git+${place().origin.url}/git/agent.git#main`;
      },
    },
    {
      title: 'skills, git',
      id: 'skills',
      publish(version) {
        place().origin.commit('skills', skillFiles(version));
        return `git+${place().origin.url}/git/skills.git#main`;
      },
    },
    {
      title: 'skills, archive',
      id: 'team-skills',
      publish(version) {
        const files = Object.entries(skillFiles(version)).map(([name, text]) => [
          `team-skills-main/${name}`,
          text,
        ]);
        writeFileSync(join(place().folder, 'team-skills.zip'), zip(Object.fromEntries(files)));
        return join(place().folder, 'team-skills.zip');
      },
    },
    {
      title: 'Toolspace, method pip',
      ...inCounter,
      fetches: (version) => `counter-pack ${number(version)} (pip)`,
      publish(version) {
        place().origin.python('counter-pack', number(version), '', { 'counter.py': python(version) });
        const install = { method: 'pip', package: 'counter-pack', version_spec: '>=1,<2' };
        return below('pip', toolspaceFiles('one', install, runPython, 'python-module'));
      },
    },
    {
      title: 'Toolspace, method npm without a version',
      ...inCounter,
      fetches: (version) => `counter-node ${number(version)} (npm)`,
      publish(version) {
        const bin = { 'counter-node': 'cli.mjs' };
        place().origin.npm(
          { name: 'counter-node', version: number(version), bin },
          { 'cli.mjs': node(version) },
        );
        const install = { method: 'npm', package: 'counter-node' };
        return below('npm', toolspaceFiles('one', install, ['counter-node'], 'node-module'));
      },
    },
    {
      title: 'Toolspace, method git',
      ...inCounter,
      publish(version) {
        place().origin.commit('counter', { 'src/counter.py': python(version), 'README.md': 'x' });
        const install = {
          method: 'git',
          url: `${place().origin.url}/git/counter.git`,
          ref: 'main',
          subpath: 'src',
        };
        return below('git', toolspaceFiles('one', install, runPython, 'python-module'));
      },
    },
    {
      title: 'Toolspace, method url',
      ...inCounter,
      publish(version) {
        const sha256 = place().origin.file(
          `/${version}/counter`,
          `#!/usr/bin/env python3\n${python(version)}`,
        );
        const install = { method: 'url', url: `${place().origin.url}/${version}/counter`, sha256 };
        return below('url', toolspaceFiles(version, install, ['./counter'], 'shell-binary'));
      },
    },
    {
      title: 'Toolspace, method url of an archive',
      ...inCounter,
      publish(version) {
        const path = `/counter-${version}.tgz`;
        const sha256 = place().origin.file(path, tarball({ 'counter-main/counter.py': python(version) }));
        const install = { method: 'url', url: `${place().origin.url}${path}`, sha256 };
        return below('url-archive', toolspaceFiles(version, install, runPython, 'python-module'));
      },
    },
  ];
}
