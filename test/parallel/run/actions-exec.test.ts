// Programs that run once per call: what they receive, and how each output format is read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import {
  failureOf,
  inputOf,
  pythonTool,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const text = { type: 'string' };

/** Prints what its first argument asks for. */
const script = `import json, os, sys
args = sys.argv[1:]
what = args[0] if args else ""
if what == "echo":
    print(json.dumps(args[1:]))
elif what == "stdin":
    print(json.dumps({"args": args, "stdin": sys.stdin.read()}))
elif what == "text":
    sys.stdout.write("Grüße\\n  zwei Zeilen\\n")
elif what == "binary":
    sys.stdout.buffer.write(bytes(range(256)))
elif what == "latin":
    sys.stdout.buffer.write(b"caf\\xe9\\n")
elif what == "records":
    given = json.load(sys.stdin)
    print("\\n".join(given["lines"]))
elif what == "none":
    print("this output is ignored")
elif what == "envelope":
    given = json.load(sys.stdin)
    print(json.dumps({"error": {"code": "no_such_row", "message": "there is no row 7"}}))
    sys.exit(given["exit"])
elif what == "member":
    print(json.dumps({"error": None, "rows": 1}))
elif what == "setting":
    print(json.dumps({"level": os.environ.get("LEVEL"), "args": args[1:]}))
`;

const record = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

/** An action that runs the script with its own name as the argument. */
const printing = (name: string, format: string): JsonObject => ({
  name,
  invocation: { kind: 'subcommand', argv_template: [name] },
  output: { format },
});

const manifest = toolspace({
  id: 'printer',
  command: ['python3', 'printer.py'],
  env: [{ name: 'LEVEL', prompt: 'How much.', required: false, secret: false, default: 'low' }],
  actions: [
    {
      name: 'args',
      invocation: {
        kind: 'subcommand',
        argv_template: [
          'echo',
          `--to=\${input.to}`,
          `\${input.from}`,
          `\${input.count}`,
          `\${input.deep.er}`,
        ],
      },
      input: inputOf({
        to: text,
        from: text,
        count: { type: 'integer', default: 3 },
        deep: {
          type: 'object',
          properties: { er: { type: 'boolean', default: true } },
          default: {},
        },
      }),
      output: { format: 'json' },
    },
    {
      name: 'after_dashes',
      invocation: { kind: 'subcommand', argv_template: ['echo', '--', `\${input.file}`] },
      input: inputOf({ file: text }),
      output: { format: 'json' },
    },
    {
      name: 'unresolved',
      invocation: { kind: 'subcommand', argv_template: ['echo', `\${input.maybe}`] },
      input: inputOf({ maybe: text }, []),
      output: { format: 'json' },
    },
    {
      name: 'setting',
      invocation: { kind: 'subcommand', argv_template: ['setting', `\${env.LEVEL}`] },
      output: { format: 'json' },
    },
    {
      name: 'stdin',
      invocation: { kind: 'stdin-json', argv_template: ['stdin', `\${input.a}`] },
      input: inputOf({ a: text, b: { type: 'integer', default: 2 } }),
      output: { format: 'json' },
    },
    { ...printing('stdin', 'json'), name: 'no_stdin' },
    printing('text', 'text'),
    printing('binary', 'binary'),
    printing('latin', 'text'),
    printing('none', 'none'),
    {
      name: 'records',
      invocation: { kind: 'stdin-json', argv_template: ['records'] },
      input: inputOf({ lines: { type: 'array', items: text } }),
      output: { format: 'ndjson-stream', schema: record },
    },
    {
      name: 'envelope',
      invocation: { kind: 'stdin-json', argv_template: ['envelope'] },
      input: inputOf({ exit: { type: 'integer' } }),
      output: { format: 'json' },
      error_envelope: 'standard',
    },
    {
      name: 'plain_envelope',
      invocation: { kind: 'stdin-json', argv_template: ['envelope'] },
      input: inputOf({ exit: { type: 'integer' } }),
      output: { format: 'json' },
    },
    {
      name: 'member',
      invocation: { kind: 'subcommand', argv_template: ['member'] },
      output: { format: 'json' },
      error_envelope: 'standard',
    },
  ],
});

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  bench = await workbench({
    'printer/toolspace.json': manifest,
    'printer/printer.py': script,
    'shout.py': pythonTool({
      name: 'shout',
      body: ['print("heard", text)', 'print("a log line", file=sys.stderr)', 'return {"loud": text.upper()}'],
    }),
  });
  session = await bench.session();
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const call = (tool: string, given: object = {}) =>
  session.call({ tool: `printer/${tool}`, arguments: given as never });

describe('Patch scripts', () => {
  test('a script gets its arguments with defaults, and its last output line is the result', async () => {
    const answer = await session.call({ tool: 'shout', arguments: { text: 'Grüße "a"\n\u2028$(x)' } });
    expect(answer).toMatchObject({
      status: 'ok',
      // The script gets the text unchanged. In the answer, an invisible line separator becomes a line break.
      result: { loud: 'GRÜSSE "A"\n\n$(X)' },
      warnings: [
        expect.stringMatching(/printed 2 lines before its result/),
        expect.stringMatching(/invisible characters .* were removed/),
      ],
      log: expect.stringContaining('a log line'),
    });
    expect(await resultOf(session.call({ tool: 'shout', arguments: {} }))).toEqual({ loud: '' });
  });
});

describe('command line arguments', () => {
  test('each value is one argument, and no shell interprets it', async () => {
    const nasty = '; $(touch /tmp/x) `id` > out | cat & "quoted" \'single\' * ~ $HOME \\ \t end';
    expect(await resultOf(call('args', { to: nasty, from: `a ${nasty}` }))).toEqual([
      `--to=${nasty}`,
      `a ${nasty}`,
      '3',
      'true',
    ]);
  });

  test('a template token inside a value is not filled', async () => {
    const token = `\${input.to} \${env.LEVEL}`;
    expect(await resultOf(call('args', { to: token, from: 'b', count: -4 }))).toEqual([
      `--to=${token}`,
      'b',
      '-4',
      'true',
    ]);
  });

  test('a value that looks like an option is rejected if the author did not write -- before it', async () => {
    const rejected = await failureOf(call('args', { to: '-x', from: '--delete' }));
    expect(rejected).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('from') });
    expect(rejected.message).toContain('option');
    expect(await resultOf(call('args', { to: '-x', from: 'b' }))).toEqual(['--to=-x', 'b', '3', 'true']);
    expect(await resultOf(call('after_dashes', { file: '-rf' }))).toEqual(['--', '-rf']);
  });

  test('a template token without a value is an error that names the input', async () => {
    expect(await failureOf(call('unresolved'))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('maybe'),
    });
    expect(await resultOf(call('unresolved', { maybe: 'x' }))).toEqual(['x']);
    expect(await resultOf(call('unresolved', { maybe: '' }))).toEqual(['']);
  });

  test('an argument with NUL or an unpaired surrogate is rejected', async () => {
    for (const maybe of ['a\0b', 'a\ud800b'])
      expect(await failureOf(call('unresolved', { maybe }))).toMatchObject({ code: 'invalid_input' });
  });

  test('settings or their defaults are in the environment and in template tokens', async () => {
    expect(await resultOf(call('setting'))).toEqual({ level: 'low', args: ['low'] });
    await bench.host.secrets.set({
      package: 'printer',
      slot: 'LEVEL',
      value: 'high',
      audience: { kind: 'manifest' },
      by: 'test',
    });
    expect(await resultOf(call('setting'))).toEqual({ level: 'high', args: ['high'] });
  });
});

describe('standard input', () => {
  test('standard input has the input as JSON with defaults, in addition to the arguments', async () => {
    expect(await resultOf(call('stdin', { a: 'x' }))).toEqual({
      args: ['stdin', 'x'],
      stdin: '{"a":"x","b":2}',
    });
  });

  test('standard input is empty for a plain subcommand', async () => {
    expect(await resultOf(call('no_stdin'))).toEqual({ args: ['stdin'], stdin: '' });
  });
});

describe('output formats', () => {
  test('text output is returned unchanged', async () => {
    expect(await resultOf(call('text'))).toBe('Grüße\n  zwei Zeilen\n');
  });

  test('binary output is returned in base64', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect(await resultOf(call('binary'))).toBe(all.toString('base64'));
  });

  test('text output that is not UTF-8 is an error', async () => {
    expect(await failureOf(call('latin'))).toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringContaining('UTF-8'),
    });
  });

  test('with format none the result is null even if the program prints something', async () => {
    expect(await resultOf(call('none'))).toBeNull();
  });

  test('each ndjson record is checked on its own, and the error names the wrong one', async () => {
    expect(await resultOf(call('records', { lines: ['{"n":1}', '', '{"n":2}'] }))).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
    expect(await resultOf(call('records', { lines: [] }))).toEqual([]);
    const wrong = await failureOf(call('records', { lines: ['{"n":1}', '{"n":"two"}', '{"n":3}'] }));
    expect(wrong).toMatchObject({ code: 'invalid_output', message: expect.stringContaining('record 2') });
    const broken = await failureOf(call('records', { lines: ['{"n":1}', '{"n":'] }));
    expect(broken).toMatchObject({ code: 'tool_bad_output', message: expect.stringContaining('line 2') });
  });

  test.each([0, 1])('an error envelope with exit code %i is a failure with its message', async (exit) => {
    const failed = await failureOf(call('envelope', { exit }));
    expect(failed.code).toBe('tool_failed');
    expect(failed.message).toContain('no_such_row');
    expect(failed.message).toContain('there is no row 7');
  });

  test('an undeclared error envelope is a result, or part of the error if the program fails', async () => {
    expect(await resultOf(call('plain_envelope', { exit: 0 }))).toMatchObject({ error: expect.anything() });
    const failed = await failureOf(call('plain_envelope', { exit: 3 }));
    expect(failed.message).toMatch(/exited with code 3[\s\S]*no row 7/);
  });

  test('a member named error that is not an envelope is part of the result', async () => {
    expect(await resultOf(call('member'))).toEqual({ error: null, rows: 1 });
  });
});
