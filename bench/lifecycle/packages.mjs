// Packages for the measurement of the life cycle: one tool each, in one Python file, and a large language package.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes one tool in a folder of its own, with more files of this size in all. Returns its folder. */
export function writeTool(folder, name, { packages = [], version = '1.0.0', bytes = 0 } = {}) {
  mkdirSync(folder, { recursive: true });
  const manifest = {
    manifest_version: '0.2',
    tool: { id: name, version, name, summary: 'Answers.', homepage: 'https://example.com/tool' },
    runtime: {
      kind: 'python-module',
      install:
        packages.length === 0
          ? { method: 'git', url: 'https://example.com/tool', ref: '0'.repeat(40) }
          : { method: 'pip', package: 'large_data', version_spec: '==1.0' },
      entrypoint: { command: ['python3', '-m', packages.length === 0 ? 'tool' : 'large_data'] },
    },
    actions: [
      {
        ...{ name: 'answer', summary: 'Answer.', side_effects: 'none', output: { format: 'json' } },
        invocation: { kind: 'stdin-json', argv_template: ['answer'] },
        input: { type: 'object', properties: {} },
      },
    ],
    smoke: { kind: 'action-call', action: 'answer', arguments: {}, success: {} },
    kill_switch: { kind: 'manual', instructions_url: 'https://example.com/tool' },
  };
  writeFileSync(join(folder, 'toolspace.json'), JSON.stringify(manifest, null, 2));
  if (packages.length === 0) writeFileSync(join(folder, 'tool.py'), `print("{}")  # ${name}\n`);
  for (let index = 0; index < 10 && bytes > 0; index++)
    writeFileSync(
      join(folder, `data-${index}.txt`),
      `${name} ${index} `.repeat(bytes / 10).slice(0, bytes / 10),
    );
  return folder;
}

export function writeTools(folder, count, bytes = 0) {
  return Array.from({ length: count }, (_, index) =>
    writeTool(join(folder, `tool-${index}`), `tool-${index}`, { bytes }),
  );
}

/** A wheel with one file of this size, and a module. */
export function writeLargeWheel(folder, bytes) {
  const place = join(folder, 'large');
  const info = 'large_data-1.0.dist-info';
  mkdirSync(join(place, info), { recursive: true });
  const files = {
    'large_data.py': 'print("{}")\n',
    [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: large_data\nVersion: 1.0\n',
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = [...Object.keys(files), 'large_data.bin', `${info}/RECORD`]
    .map((it) => `${it},,\n`)
    .join('');
  for (const [name, text] of Object.entries({ ...files, [`${info}/RECORD`]: record }))
    writeFileSync(join(place, name), text);
  writeFileSync(join(place, 'large_data.bin'), Buffer.alloc(bytes, 'a line of a large file\n'));
  const wheel = join(folder, 'large_data-1.0-py3-none-any.whl');
  execFileSync('python3', ['-m', 'zipfile', '-c', wheel, 'large_data.py', 'large_data.bin', info], {
    cwd: place,
  });
  chmodSync(wheel, 0o644);
  rmSync(place, { recursive: true });
}
