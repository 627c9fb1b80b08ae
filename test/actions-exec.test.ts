// Programs that run once for a call: what reaches them, and how each kind of answer is read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../src/index.js';
import {
  failureOf,
  inputOf,
  pythonTool,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from './workbench.js';

const text = { type: 'string' };

/** Prints what it was given, as the first word asks for. */
const script = `import json, os, sys
words = sys.argv[1:]
what = words[0] if words else ""
if what == "echo":
    print(json.dumps(words[1:]))
elif what == "stdin":
    print(json.dumps({"words": words, "stdin": sys.stdin.read()}))
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
    print("this is nobody's answer")
elif what == "envelope":
    given = json.load(sys.stdin)
    print(json.dumps({"error": {"code": "no_such_row", "message": "there is no row 7"}}))
    sys.exit(given["exit"])
elif what == "member":
    print(json.dumps({"error": None, "rows": 1}))
elif what == "setting":
    print(json.dumps({"level": os.environ.get("LEVEL"), "words": words[1:]}))
`;

const record = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

/** Prints what the script has under that word. */
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
      name: 'words',
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

describe('a Patch script', () => {
  test('gets its arguments, defaults too, and answers with its last line', async () => {
    const answer = await session.call({ tool: 'shout', arguments: { text: 'Grüße "a"\n\u2028$(x)' } });
    expect(answer).toMatchObject({
      status: 'ok',
      // It arrives whole; what ends a line without being seen is an ordinary line end for whoever reads the answer.
      result: { loud: 'GRÜSSE "A"\n\n$(X)' },
      warnings: [
        expect.stringMatching(/printed 2 lines before its result/),
        expect.stringMatching(/cannot be seen/),
      ],
      log: expect.stringContaining('a log line'),
    });
    expect(await resultOf(session.call({ tool: 'shout', arguments: {} }))).toEqual({ loud: '' });
  });
});

describe('words of a command line', () => {
  test('each value is one word, whatever it looks like; no shell reads it', async () => {
    const nasty = '; $(touch /tmp/x) `id` > out | cat & "quoted" \'single\' * ~ $HOME \\ \t end';
    expect(await resultOf(call('words', { to: nasty, from: `a ${nasty}` }))).toEqual([
      `--to=${nasty}`,
      `a ${nasty}`,
      '3',
      'true',
    ]);
  });

  test('values are not templates: a token in one stays as it is', async () => {
    const token = `\${input.to} \${env.LEVEL}`;
    expect(await resultOf(call('words', { to: token, from: 'b', count: -4 }))).toEqual([
      `--to=${token}`,
      'b',
      '-4',
      'true',
    ]);
  });

  test('one that would be read as an option is refused, unless the author wrote --', async () => {
    const refused = await failureOf(call('words', { to: '-x', from: '--delete' }));
    expect(refused).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('from') });
    expect(refused.message).toContain('option');
    expect(await resultOf(call('words', { to: '-x', from: 'b' }))).toEqual(['--to=-x', 'b', '3', 'true']);
    expect(await resultOf(call('after_dashes', { file: '-rf' }))).toEqual(['--', '-rf']);
  });

  test('a token without a value is an error that names it', async () => {
    expect(await failureOf(call('unresolved'))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('maybe'),
    });
    expect(await resultOf(call('unresolved', { maybe: 'x' }))).toEqual(['x']);
    expect(await resultOf(call('unresolved', { maybe: '' }))).toEqual(['']);
  });

  test('NUL and half characters cannot be in one', async () => {
    for (const maybe of ['a\0b', 'a\ud800b'])
      expect(await failureOf(call('unresolved', { maybe }))).toMatchObject({ code: 'invalid_input' });
  });

  test('settings come with their default, in the environment and as tokens', async () => {
    expect(await resultOf(call('setting'))).toEqual({ level: 'low', words: ['low'] });
    await bench.host.secrets.set({
      package: 'printer',
      slot: 'LEVEL',
      value: 'high',
      audience: { kind: 'manifest' },
      by: 'test',
    });
    expect(await resultOf(call('setting'))).toEqual({ level: 'high', words: ['high'] });
  });
});

describe('standard input', () => {
  test('has the input as JSON, defaults applied, beside the words', async () => {
    expect(await resultOf(call('stdin', { a: 'x' }))).toEqual({
      words: ['stdin', 'x'],
      stdin: '{"a":"x","b":2}',
    });
  });

  test('is empty for a plain command', async () => {
    expect(await resultOf(call('no_stdin'))).toEqual({ words: ['stdin'], stdin: '' });
  });
});

describe('answers', () => {
  test('text as it is', async () => {
    expect(await resultOf(call('text'))).toBe('Grüße\n  zwei Zeilen\n');
  });

  test('bytes in base64', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect(await resultOf(call('binary'))).toBe(all.toString('base64'));
  });

  test('text that is no UTF-8 is not guessed at', async () => {
    expect(await failureOf(call('latin'))).toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringContaining('UTF-8'),
    });
  });

  test('none, whatever was printed', async () => {
    expect(await resultOf(call('none'))).toBeNull();
  });

  test('records, each checked on its own; a bad one is named', async () => {
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

  test.each([0, 1])('an error envelope is the failure, with exit code %i', async (exit) => {
    const failed = await failureOf(call('envelope', { exit }));
    expect(failed.code).toBe('tool_failed');
    expect(failed.message).toContain('no_such_row');
    expect(failed.message).toContain('there is no row 7');
  });

  test('without a declared envelope it is an answer like any other, or the last words', async () => {
    expect(await resultOf(call('plain_envelope', { exit: 0 }))).toMatchObject({ error: expect.anything() });
    const failed = await failureOf(call('plain_envelope', { exit: 3 }));
    expect(failed.message).toMatch(/exit code 3[\s\S]*no row 7/);
  });

  test('a member called error that is no envelope is an answer', async () => {
    expect(await resultOf(call('member'))).toEqual({ error: null, rows: 1 });
  });
});
