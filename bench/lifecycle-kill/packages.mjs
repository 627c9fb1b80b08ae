// The package that is installed, updated and removed: a Python module from a wheel, with one secret.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the tool says of a secret. It tells secrets apart and does not show them. */
export const markOf = (secret) => createHash('sha1').update(`mark of ${secret}`).digest('hex').slice(0, 12);

/** Versions of the wheel. Each has an environment of its own. */
export const wheelVersions = ['1.0.0', '2.0.0'];

/** Where the program of a version may come from: mostly from its own files, which is faster. */
export const origins = [...Array.from({ length: 7 }, () => 'files'), ...wheelVersions];

const program = (version) => `import hashlib, json, os, sys
here = json.load(sys.stdin)
secret = os.environ.get('COUNTER_TOKEN', '')
mark = hashlib.sha1(('mark of ' + secret).encode()).hexdigest()[:12]
print(json.dumps({'words': len(here['text'].split()), 'origin': ${JSON.stringify(version)}, 'mark': mark}))
`;

/** Writes the wheels of both versions to a folder. */
export function writeWheels(folder) {
  for (const version of wheelVersions) {
    const place = join(folder, version);
    const info = `counter_tool-${version}.dist-info`;
    mkdirSync(join(place, info), { recursive: true });
    const files = {
      'counter.py': program(version),
      [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: counter_tool\nVersion: ${version}\n`,
      [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    };
    const record = [...Object.keys(files), `${info}/RECORD`].map((it) => `${it},,\n`).join('');
    for (const [name, text] of Object.entries({ ...files, [`${info}/RECORD`]: record }))
      writeFileSync(join(place, name), text);
    const wheel = join(folder, `counter_tool-${version}-py3-none-any.whl`);
    execFileSync('python3', ['-m', 'zipfile', '-c', wheel, 'counter.py', info], { cwd: place });
    chmodSync(wheel, 0o644);
    rmSync(place, { recursive: true });
  }
}

/** Writes one version of the package. `name`: the last part of its version. */
export function writePackage(folder, name, origin) {
  const manifest = {
    manifest_version: '0.2',
    tool: {
      id: 'counter',
      version: `1.0.${name}`,
      name: 'Counter',
      summary: 'Counts the words of a text.',
      homepage: 'https://tools.example.com/counter',
    },
    runtime: {
      kind: 'python-module',
      install: {
        method: 'pip',
        package: 'counter_tool',
        version_spec: `==${origin === 'files' ? '1.0.0' : origin}`,
      },
      entrypoint: { command: ['python3', '-m', 'counter'] },
    },
    env: [{ name: 'COUNTER_TOKEN', prompt: 'A token.', secret: true }],
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
    smoke: {
      kind: 'action-call',
      action: 'count',
      arguments: { text: 'a b' },
      success: { json_pointer_equals: { '/words': 2 } },
    },
    // Every second version has a kill switch that runs; the steps of the others count as done.
    kill_switch:
      Number(name) % 2 === 0
        ? { kind: 'shell', command: ['sleep', '0.05'] }
        : { kind: 'manual', instructions_url: 'https://example.com/remove' },
  };
  mkdirSync(join(folder, 'notes'), { recursive: true });
  writeFileSync(join(folder, 'toolspace.json'), JSON.stringify(manifest));
  if (origin === 'files') writeFileSync(join(folder, 'counter.py'), program('files'));
  // Files of some size: storing them takes a while, and a tree may be half written.
  for (let index = 0; index < 12; index += 1)
    writeFileSync(
      join(folder, 'notes', `${index}.txt`),
      `${name} ${index}\n`.repeat(2000 * (1 + (index % 3))),
    );
}
