// The commands for authors of manifests, run as an author runs them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../../src/formats/built-in-formats.js';
import { diagnosticCodesOf } from '../../../../src/formats/diagnostic-codes.js';
import { hostErrorCodes } from '../../../../src/model/host-error.js';
import { commands } from '../../../../src/serve/cli/command/commands.js';
import { workingLevel } from '../../../support/control-group.js';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

const root = join(import.meta.dirname, '../../../..');
const diagnosticCodes = diagnosticCodesOf(builtInFormats);
const formatNames = builtInFormats.map((it) => it.name);
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(() => {
  folder = temporaryFolder({
    'odd.py': patchTool({ name: 'odd' }).replace('# outputs:', '# color: red\n# outputs:'),
    'good.py': patchTool({ name: 'good' }),
  });
});
afterAll(() => folder.remove());

describe('validate', () => {
  test('warnings fail only with --strict', async () => {
    expect((await toolwharf(['validate', 'odd.py'], { cwd: folder.path })).code).toBe(0);
    expect((await toolwharf(['validate', '--strict', 'odd.py'], { cwd: folder.path })).code).toBe(3);
  });

  test('ext validate is the same command', async () => {
    const both = await Promise.all(
      [['validate'], ['ext', 'validate']].map((it) => toolwharf([...it, '--json'], { cwd: folder.path })),
    );
    expect(both[0]).toEqual(both[1]);
  });

  test('the report can be written as SARIF, GitHub annotations and JSON', async () => {
    const sarif = JSON.parse(
      (await toolwharf(['validate', '--format', 'sarif'], { cwd: folder.path })).stdout,
    );
    expect(sarif.runs[0].results).toMatchObject([{ ruleId: 'field.unknown', level: 'warning' }]);
    const github = await toolwharf(['validate', '--format', 'github'], { cwd: folder.path });
    expect(github.stdout).toMatch(/^::warning file=odd\.py,line=9,col=3,/);
    const json = JSON.parse((await toolwharf(['validate', '--format', 'json'], { cwd: folder.path })).stdout);
    expect(json).toMatchObject({
      schema: 'toolwharf/validate@1',
      files: [
        { file: 'good.py', format: 'patch', ok: true, diagnostics: [] },
        {
          file: 'odd.py',
          ok: true,
          diagnostics: [
            {
              code: 'field.unknown',
              severity: 'warning',
              line: 9,
              column: 3,
              endLine: 9,
              endColumn: 8,
              pointer: '/color',
            },
          ],
        },
      ],
      summary: { files: 2, errors: 0, warnings: 1 },
    });
    expect((await toolwharf(['validate', '--format', 'xml'], { cwd: folder.path })).code).toBe(2);
  });

  test('a missing path does not hide the results of the others', async () => {
    const done = await toolwharf(['validate', '--json', 'good.py', 'nowhere.py'], { cwd: folder.path });
    expect(done.code).toBe(3);
    expect(JSON.parse(done.stdout).files).toMatchObject([
      { file: 'good.py', ok: true },
      { file: 'nowhere.py', ok: false, diagnostics: [{ code: 'file.missing' }] },
    ]);
  });

  test('--agent-version sets the version that extensions are checked against', async () => {
    const extension = temporaryFolder({
      'plugin.toml':
        '[plugin]\nid = "tides"\nversion = "1.0.0"\nmin_agent_version = "2.0.0"\n\n[capabilities]\ntools = ["next_tide"]\n\n[transport]\ntype = "nats"\nsubject_prefix = "ext.tides"\n',
    });
    expect((await toolwharf(['validate', extension.path])).code).toBe(3);
    expect((await toolwharf(['validate', extension.path, '--agent-version', '2.1.0'])).code).toBe(0);
    extension.remove();
  });

  test('the examples have no problems', async () => {
    const done = await toolwharf(['validate', '--strict', 'examples'], { cwd: root });
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ manifests checked: no problems\n$/),
    });
  });

  test('a broken manifest of each format is reported with file, line and column', async () => {
    const broken = temporaryFolder({
      'tool.py': patchTool({ name: 'tool' }).replace('human_confirm: false', 'human_confirmed: true'),
      'notes/manifest.json':
        '{"id":"notes","name":"Notes","description":"Notes.","version":"1","functions":[]}',
      'toolspace.json': '{"manifest_version":"0.3","tool":{},"runtime":{},"smoke":{},"kill_switch":{}}',
      'agent/findagent.json': '{"name":"A","system_prompt":"short","tools":[],"example_prompts":[]}',
      'ext/plugin.toml':
        '[plugin]\nid = "core"\nversion = "1.0.0"\n\n[capabilities]\n\n[transport]\ntype = "stdio"\ncommand = ""\n',
    });
    const done = await toolwharf(['validate'], { cwd: broken.path });
    broken.remove();
    expect(done.code).toBe(3);
    for (const file of [
      'tool.py',
      'notes/manifest.json',
      'toolspace.json',
      'agent/findagent.json',
      'ext/plugin.toml',
    ]) {
      expect(done.stdout).toMatch(new RegExp(`error\\[[^\\]]+\\] [^\\n]+\\n *--> ${file}:\\d+:\\d+\\n`));
    }
    expect(done.stdout).toMatch(/5 manifests checked: \d+ errors/);
  });
});

describe('schema and explain', () => {
  test.each(formatNames)('the schema of %s is valid JSON Schema 2020-12', async (format) => {
    const schema = JSON.parse((await toolwharf(['schema', format])).stdout);
    expect(schema).toEqual(
      JSON.parse(readFileSync(join(root, 'src/formats', format, 'schema.json'), 'utf8')),
    );
    expect(new Ajv2020.default({ strict: false, validateFormats: false }).validateSchema(schema)).toBe(true);
  });

  test('an unknown format is a usage error that lists the formats', async () => {
    expect(await toolwharf(['schema', 'openapi'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('patch, findagent, talos, toolspace, nexo'),
    });
  });

  test('every code is listed and explained', async () => {
    const codes = (await toolwharf(['explain'])).stdout.trim().split('\n');
    expect(codes.toSorted()).toEqual([...Object.keys(diagnosticCodes), ...hostErrorCodes].toSorted());
    expect((await toolwharf(['explain', 'timeout'])).stdout).toMatch(
      /^timeout\n\nerror\. the tool was ended because it exceeded its time limit\n\nExit code of the command: 8\./,
    );
    const one = await toolwharf(['explain', 'field.near-miss']);
    expect(one.stdout).toMatch(
      /^field\.near-miss\n\nerror\. [\s\S]*Bad:\n[\s\S]*Good:\n[\s\S]*Why it matters: /,
    );
    expect(one.stdout).not.toContain('~~~');
    expect(await toolwharf(['explain', 'field.neer-miss'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean field.near-miss?'),
    });
  });
});

describe('init', () => {
  test.each(formatNames)('the files that init %s writes have no problems', async (format) => {
    const made = await toolwharf(['init', format, `new-${format}`, '--json'], { cwd: folder.path });
    expect(made).toMatchObject({ code: 0 });
    const { folder: target, files } = JSON.parse(made.stdout);
    expect(files.some((it: string) => it.endsWith('README.md'))).toBe(true);
    const checked = await toolwharf(['validate', '--strict', '--json', target], { cwd: folder.path });
    expect(JSON.parse(checked.stdout)).toMatchObject({ files: [{ format, ok: true, diagnostics: [] }] });
    const again = await toolwharf(['init', format, `new-${format}`], { cwd: folder.path });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
  });

  test.each(['MyTool', '2fa', 'a.b'])('init talos in a folder named %s has no problems', async (name) => {
    await toolwharf(['init', 'talos', name], { cwd: folder.path });
    expect(await toolwharf(['validate', '--strict', name], { cwd: folder.path })).toMatchObject({ code: 0 });
  });

  test('a dry run writes nothing', async () => {
    const done = await toolwharf(['init', 'patch', 'dry', '--dry-run'], { cwd: folder.path });
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('would write') });
    expect(readdirSync(folder.path)).not.toContain('dry');
  });
});

describe('info', () => {
  const state = () => ['--state', join(folder.path, 'state')];
  test('info shows the permissions of a package and its status', async () => {
    const path = join(root, 'examples/findagent/holiday-desk');
    const before = await toolwharf(['info', path, ...state()]);
    expect(before.stdout).toContain('It needs review before it can run.');
    await toolwharf(['review', path, '--yes', ...state()]);
    const done = await toolwharf(['info', path, ...state()]);
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/Network +only /);
    expect(done.stdout).toContain('It is ready.');
  });

  test('info --json has the whole package', async () => {
    await toolwharf(['review', join(folder.path, 'good.py'), '--yes', ...state()]);
    const document = JSON.parse(
      (await toolwharf(['info', join(folder.path, 'good.py'), '--json', ...state()])).stdout,
    );
    expect(document).toMatchObject({
      schema: 'toolwharf/info@1',
      package: { id: 'good', tools: [{ name: 'good' }] },
      state: 'ready',
      sandbox: workingLevel,
    });
  });

  test('info of a broken package shows its problems', async () => {
    const broken = temporaryFolder({ 'tool.py': patchTool({ name: 'Tool' }) });
    expect(await toolwharf(['info', join(broken.path, 'tool.py'), ...state()])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('error[schema.pattern]'),
    });
    broken.remove();
  });
});

describe('help', () => {
  test('every command starts its help with its examples', async () => {
    for (const { name } of commands) {
      const done = await toolwharf([name, '--help']);
      expect(done.code).toBe(0);
      expect(done.stdout).toMatch(/^[^\n]+\n\nExamples\n {2}toolwharf /);
    }
  }, 120_000);

  test('help prints topics and commands, and --version prints the version', async () => {
    expect((await toolwharf(['help', 'exit-codes'])).stdout).toContain('130  interrupted');
    expect((await toolwharf(['help', 'validate'])).stdout).toContain('--strict');
    expect((await toolwharf(['--version'])).stdout).toBe(
      `${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version}\n`,
    );
  });
});
