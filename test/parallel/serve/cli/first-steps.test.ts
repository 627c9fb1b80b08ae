// What a new user meets: misspelled names, arguments typed by hand, small terminals.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tool } from '../../../../src/model/tool.js';
import { inputNames, printInputs } from '../../../../src/serve/print/inputs.js';
import { workingLevel, writableControlGroup } from '../../../support/control-group.js';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let tool: string;

beforeAll(() => {
  folder = temporaryFolder({
    'tools/count_words.py': patchTool({ name: 'count_words' }),
    'tools/hang.py': patchTool({ name: 'hang', body: '    import time\n    time.sleep(600)\n    return {}' }),
  });
  tool = join(folder.path, 'tools', 'count_words.py');
});
afterAll(() => folder.remove());

const run = (args: string[], stdin = '') =>
  toolwharf([...args, '--state', join(folder.path, 'state')], { cwd: folder.path, stdin });

describe('arguments of a call', () => {
  test('a duplicate argument name is rejected, and nothing runs', async () => {
    expect(await run(['call', tool, '{"text":"a","text":"b c"}'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('has a duplicate key'),
    });
    expect(await run(['call', tool, '{"text":"a b"}'])).toMatchObject({ code: 0 });
  });

  test.each(['null', '17', 'true'])('%s is read as JSON and not as the name of a tool', async (word) => {
    const { code, stderr } = await run(['call', tool, word]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('no tool named');
    expect(stderr).toContain(word === 'null' ? "required property 'text'" : 'must be a JSON object');
  });

  test('empty standard input is reported, and too much input is rejected early', async () => {
    expect(await run(['call', tool, '-'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input is empty'),
    });
    const flood = `{"text":"${'x'.repeat(17 * 1024 * 1024)}"}`;
    expect(await run(['call', tool, '-'], flood)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input has more than 16 MiB'),
    });
  });

  test('a misspelled tool name is answered with a suggestion', async () => {
    expect((await run(['call', '--dir', 'tools', 'cuont_words', '{}'])).stderr).toContain(
      'did you mean count_words/count_words?',
    );
  });

  test('a time limit of the configuration is not blamed on the command line', async () => {
    const config = join(folder.path, 'short.toml');
    writeFileSync(config, '[limits]\nseconds = 1\n');
    const hang = ['call', join(folder.path, 'tools', 'hang.py'), '{"text":"a"}'];
    expect(await run([...hang, '--config', config])).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('limits.seconds in the configuration sets this limit'),
    });
    expect(await run([...hang, '--timeout', '300ms'])).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('allow more time with --timeout'),
    });
  });
});

describe('--format json', () => {
  test.each([
    ['call', ['call'], ['{"text":"a"}'], 'toolwharf/call@1'],
    ['info', ['info'], [], 'toolwharf/info@1'],
  ])('%s --format json prints the same as --json', async (_name, before, after, schema) => {
    const written = [...before, tool, ...after, '--format', 'json'];
    expect(JSON.parse((await run(written)).stdout)).toMatchObject({ schema });
  });

  test('--format json applies to errors too, and an unknown format is rejected', async () => {
    expect(JSON.parse((await run(['info', 'nowhere.py', '--format', 'json'])).stdout)).toMatchObject({
      error: { code: 'not_found' },
    });
    expect(await run(['info', tool, '--format', 'yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('info prints text, or JSON with --json'),
    });
  });
});

test('disable and secret set work for an unknown package, with a warning; kill needs --force', async () => {
  await run(['list', 'tools']);
  expect(await run(['disable', 'cuont_words'])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      'no package named "cuont_words" was used here before; did you mean count_words?',
    ),
  });
  expect(await run(['kill', 'elsewhere/tool'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the tool "elsewhere/tool" is not known here'),
  });
  expect((await run(['secret', 'set', 'elsewhere', 'KEY'], 'v')).stderr).toContain(
    'no package named "elsewhere"',
  );
  expect((await run(['kill', 'principal:somebody', '--force'])).stderr).toBe('');
  expect((await run(['secret', 'set', '@broker', 'ARCADE_API_KEY'], 'v')).stderr).toBe('');
  expect((await run(['disable', 'count_words'])).stderr).toBe('');
});

test('serve reports once which package needs review after an edit, with the review command', async () => {
  const served = temporaryFolder({ 'tools/say.py': patchTool({ name: 'say' }) });
  const file = join(served.path, 'tools', 'say.py');
  const args = ['serve', 'tools', '--no-http', '--json', '--state', join(served.path, 'state')];
  const reworded = patchTool({ name: 'say' }).replace('Do something with', 'Send away');
  const { stdout } = await toolwharf(args, {
    cwd: served.path,
    during: (child) => {
      let seen = '';
      child.stdout?.on('data', (chunk) => {
        const before = seen;
        seen += chunk;
        if (!before.includes('\n') && seen.includes('\n')) writeFileSync(file, reworded);
        if (!before.includes('"needs-review"') && seen.includes('"event":"needs-review"'))
          writeFileSync(file, `${reworded}# edited again\n`);
        if (seen.includes('"needs-review"') && seen.split('"reload"').length > 2) child.kill('SIGINT');
      });
    },
  });
  const events = stdout.trim().split('\n').slice(1);
  const reviews = events.map((it) => JSON.parse(it)).filter((it) => it.event === 'needs-review');
  expect(reviews).toEqual([
    {
      event: 'needs-review',
      package: 'say',
      path: expect.stringContaining('say.py'),
      reasons: expect.arrayContaining([expect.stringContaining('toolwharf review say --dir')]),
    },
  ]);
  served.remove();
});

test('a folder that cannot be created is reported at once', async () => {
  const nowhere = '/proc/toolwharf/new';
  expect(await toolwharf(['list', 'tools', '--state', nowhere], { cwd: folder.path })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`the state directory ${nowhere} cannot be used`),
  });
  expect(await run(['init', 'patch', nowhere])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be written'),
  });
});

describe('a secret that the package does not ask for', () => {
  const example = join(import.meta.dirname, '../../../../examples/talos/webhook-signatures');
  const set = (...args: string[]) => run(['secret', 'set', ...args], 'v');

  test('an unknown secret name is rejected with the known names, but not printed', async () => {
    await run(['review', example, '--yes']);
    const near = await set('webhook-signatures', 'singing_secret');
    expect(near).toMatchObject({ code: 2, stdout: '' });
    expect(near.stderr).toContain('did you mean signing_secret?');
    const far = await set('webhook-signatures', 'planted-value-0001');
    expect(far.code).toBe(2);
    expect(far.stderr).toContain('it asks for signing_secret');
    expect(far.stderr).not.toContain('planted-value-0001');
    expect((await run(['secret', 'list'])).stdout).toMatch(/webhook-signatures +signing_secret +missing/);
    // Control: the correct name is accepted.
    expect(await set('webhook-signatures', 'signing_secret')).toMatchObject({ code: 0, stderr: '' });
  });

  test('a package without secrets, and the broker, reject an unknown name', async () => {
    await run(['review', 'tools', '--yes']);
    expect((await set('count_words', 'KEY')).stderr).toContain('it asks for no secrets or settings');
    expect((await set('@broker', 'ARCADE_KEY')).stderr).toContain('did you mean ARCADE_API_KEY?');
  });
});

test('a host with many owners gets a warning, and a host with one owner does not', async () => {
  const shared = await run(['secret', 'set', 'ahead', 'KEY', '--host', 'github.io'], 'v');
  expect(shared).toMatchObject({ code: 0, stderr: expect.stringContaining('below github.io') });
  const own = await run(['secret', 'set', 'ahead', 'KEY', '--host', 'me.github.io'], 'v');
  expect(own.stderr).not.toContain('below');
});

test('an extension that answers over NATS is not shown as sandboxed', async () => {
  const examples = join(import.meta.dirname, '../../../../examples/nexo');
  const far = await run(['info', join(examples, 'machine-watch')]);
  expect(far.stdout).toContain("It runs elsewhere, outside of this host's sandbox.");
  expect(far.stdout).not.toContain('Its sandbox is');
  const near = await run(['info', join(examples, 'leak-guard')]);
  const level =
    writableControlGroup() === null ? /Its sandbox is (?:enforced|degraded)/ : /Its sandbox is enforced\./;
  expect(near.stdout).toMatch(level);
  const { packages } = JSON.parse((await run(['list', '--json', examples])).stdout);
  const levels = packages.map((it: { id: string; sandbox: string }) => [it.id, it.sandbox]);
  expect(Object.fromEntries(levels)).toMatchObject({ 'machine-watch': 'none', 'leak-guard': workingLevel });
});

describe('almost correct commands', () => {
  test.each([
    [['hepl'], 'did you mean "toolwharf help"?'],
    [['run', 'x'], 'did you mean "toolwharf call"?'],
    [['approve', 'apr_1'], 'did you mean "toolwharf approvals approve"?'],
    [['version'], 'did you mean "toolwharf --version"?'],
    [['init', 'pach'], 'did you mean patch?'],
    [['call', 'tools/count_words.py', 'text=a b'], `write one JSON object: '{"text": …}'`],
    [['call', 'tools/count_words.py', '{"text":"a"}', '--root', 'nowhere'], 'no such folder'],
  ])('the command %j is answered with a suggestion', async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('a held call is found by a unique start of its id', async () => {
    writeFileSync(join(folder.path, 'ask.py'), patchTool({ name: 'ask', humanConfirm: true }));
    const ask = async (text: string) => {
      const { stdout } = await run(['call', 'ask.py', JSON.stringify({ text }), '--json']);
      return JSON.parse(stdout).confirmation.token as string;
    };
    const [first, second] = [await ask('a'), await ask('b')];
    const short = first.slice(0, 14);
    expect(second.startsWith(short)).toBe(false);
    expect((await run(['approvals', 'show', short])).stdout).toContain(first);
    expect(await run(['approvals', 'deny', `${short}…`])).toMatchObject({ code: 0 });
    // Eight characters are too few, even if only one id starts with them.
    expect(await run(['approvals', 'deny', second.slice(0, 8)])).toMatchObject({ code: 2 });
    expect((await run(['approvals', 'list'])).stdout).toContain(second);
  });
});

test('for an empty folder, list prints the next step', async () => {
  expect((await run(['list', 'state'])).stdout).toContain('create one: toolwharf init patch');
});

describe('inputs of a tool', () => {
  const takes = (input: Tool['input']) => ({ input, untrustedInputs: ['days'] as readonly string[] }) as Tool;
  const some = takes({
    type: 'object',
    required: ['names'],
    properties: {
      names: {
        type: 'array',
        items: { type: 'string' },
        description: 'Everybody who takes part in the draw.',
      },
      unit: { enum: ['metric', 'imperial'], default: 'metric' },
      days: { type: 'integer', minimum: 1, maximum: 16 },
      any: true,
    },
  });

  test('each input is printed on one line with type, range, default and description', () => {
    expect(inputNames(some)).toBe('names, unit?, days?, any?');
    expect(printInputs(some, 200)).toEqual([
      '      names  array of string; Everybody who takes part in the draw.',
      '      unit?  one of "metric", "imperial", default: "metric"',
      '      days?  integer, 1 to 16; may be untrusted',
      '      any?',
    ]);
  });

  test('no line is longer than the terminal is wide', () => {
    const lines = printInputs(some, 44);
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(44);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('Everybody who takes part in the draw.');
  });
});
