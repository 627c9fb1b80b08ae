// Programs that use too much memory, processor time, disk or output. Each is stopped with its own error.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import {
  failureOf,
  type PythonOptions,
  pythonTool,
  resultOf,
  talos,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const mebibyte = 1024 * 1024;

const scripts: readonly PythonOptions[] = [
  { name: 'allocates', body: ['return {"n": len(bytearray(2000 * 1024 * 1024))}'] },
  {
    name: 'together',
    head: ['import time'],
    body: [
      'for n in range(4):',
      '    if os.fork() == 0:',
      '        held = bytearray(os.urandom(1024)) * (60 * 1024)',
      '        time.sleep(20)',
      '        os._exit(0)',
      'time.sleep(20)',
      'return {}',
    ],
  },
  {
    name: 'hides_memory',
    body: ['try:', '    bytearray(2**40)', 'except MemoryError:', '    return {"ok": 1}'],
  },
  { name: 'spins', body: ['while True: pass'] },
  {
    name: 'fills',
    body: ['with open("/tmp/big", "wb") as f:', '    for n in range(64): f.write(b"x" * 2**20)', 'return {}'],
  },
  {
    name: 'many_small',
    body: ['for n in range(60): open("/tmp/f%d" % n, "wb").write(b"x" * 2**20)', 'return {}'],
  },
  {
    name: 'many_files',
    body: ['for n in range(400000): open("/tmp/%d" % n, "w").close()', 'return {}'],
  },
  { name: 'opens', body: ['held = [open("/dev/null") for n in range(1000)]', 'return {"n": len(held)}'] },
  {
    name: 'forks',
    head: ['import time'],
    body: [
      'for n in range(500):',
      '    if os.fork() == 0:',
      '        time.sleep(5)',
      '        os._exit(0)',
      'return {}',
    ],
  },
  { name: 'large', body: ['return {"text": "x" * int(text)}'] },
  { name: 'endless', body: ['while True: print("y" * 1000)'] },
  { name: 'endless_line', body: ['while True: sys.stdout.write("y" * 65536)'] },
  {
    name: 'complains',
    body: ['for n in range(3000): print("e" * 1000, file=sys.stderr)', 'return {"ok": True}'],
  },
];

/** Never reads its input, and still succeeds. */
const deaf = `import sys, time
time.sleep(0.2)
print('{"deaf": true}')
`;

let bench: Workbench;
let session: Session;

beforeAll(async () => {
  bench = await workbench({
    ...Object.fromEntries(scripts.map((it) => [`${it.name}.py`, pythonTool(it)])),
    ...talos({
      id: 'heap',
      functions: ['grow', 'spin', 'fine', 'large'],
      code: `export const grow = () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); };
export const spin = () => { for (;;); };
export const fine = () => 'fine';
export const large = ({ size }) => 'x'.repeat(size);
`,
    }),
    'deaf/toolspace.json': toolspace({
      id: 'deaf',
      command: ['python3', 'deaf.py'],
      actions: [
        {
          name: 'run',
          invocation: { kind: 'stdin-json', argv_template: [] },
          input: { type: 'object', additionalProperties: true },
          output: { format: 'json' },
        },
      ],
    }),
    'deaf/deaf.py': deaf,
  });
  session = await bench.session({
    policy: {
      limits: {
        memoryBytes: 150 * mebibyte,
        cpuSeconds: 1,
        diskBytes: 16 * mebibyte,
        outputBytes: mebibyte,
        processes: 20,
        openFiles: 64,
      },
    },
  });
});

afterAll(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const call = (tool: string, given: object = {}, timeoutMs = 20_000) =>
  session.call({ tool, arguments: given as never, timeoutMs });

describe('memory', () => {
  test('one process that exceeds the memory limit is stopped', async () => {
    const failed = await failureOf(call('allocates'));
    expect(failed.code).toBe('out_of_memory');
    expect(failed.message).toContain('150 MiB');
    expect(failed.hint).toContain('limits.memory_mb');
  });

  test('several processes that exceed the memory limit together are stopped', async () => {
    const started = performance.now();
    expect(await failureOf(call('together'))).toMatchObject({ code: 'out_of_memory' });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('a Node heap that grows without end is stopped', async () => {
    const failed = await failureOf(call('heap/grow'));
    expect(failed.code).toBe('out_of_memory');
    expect(failed.message).toContain('heap/grow');
    expect(await resultOf(call('heap/fine'))).toBe('fine');
  });

  test('a tool that handles a failed allocation is not stopped', async () => {
    expect(await resultOf(call('hides_memory'))).toEqual({ ok: 1 });
  });
});

describe('processor time', () => {
  test.each(['spins', 'heap/spin'])('%s is stopped at the processor time limit', async (tool) => {
    const failed = await failureOf(call(tool));
    expect(failed).toMatchObject({ status: 'timeout', code: 'timeout' });
    expect(failed.message).toContain('CPU time limit of 1 s');
  });
});

describe('disk', () => {
  test.each(['fills', 'many_small'])('a full disk is reported for %s', async (tool) => {
    const failed = await failureOf(call(tool));
    expect(failed.code).toBe('tool_failed');
    expect(failed.message).toMatch(/No space left|File too large/);
    expect(failed.hint).toContain('16 MiB');
    expect(failed.hint).toContain('limits.disk_mb');
  });

  test('too many files are reported', async () => {
    const wide = await bench.session({ policy: { limits: { cpuSeconds: 30 } } });
    const failed = await failureOf(wide.call({ tool: 'many_files', arguments: {} }));
    expect(['tool_failed', 'out_of_memory']).toContain(failed.code);
    expect(failed.message).toMatch(/too many files|No space left/);
  });
});

describe('number of files and processes', () => {
  test('too many open files are reported', async () => {
    const failed = await failureOf(call('opens'));
    expect(failed.message).toContain('Too many open files');
    expect(failed.hint).toContain('limits.open_files');
  });

  test('too many processes are reported', async () => {
    const failed = await failureOf(call('forks'));
    expect(failed.message).toContain('Resource temporarily unavailable');
    expect(failed.hint).toContain('limits.processes');
  });
});

describe('output', () => {
  test('output of exactly the limit passes, and one byte more fails', async () => {
    const around = '{"text": ""}\n'.length;
    expect(await resultOf(call('large', { text: String(mebibyte - around) }))).toBeTruthy();
    const failed = await failureOf(call('large', { text: String(mebibyte - around + 1) }));
    expect(failed).toMatchObject({ code: 'output_too_large' });
    expect(failed.message).toContain('1,048,576');
  });

  test.each(['endless', 'endless_line'])('%s is stopped before it ends', async (tool) => {
    const started = performance.now();
    expect(await failureOf(call(tool))).toMatchObject({ code: 'output_too_large' });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('too much output of a function is rejected', async () => {
    expect(await failureOf(call('heap/large', { size: 2 * mebibyte }))).toMatchObject({
      code: 'output_too_large',
    });
  });

  test('endless standard error output is cut, and the answer is kept', async () => {
    const answer = await call('complains');
    expect(answer.status).toBe('ok');
    expect(JSON.stringify(answer).length).toBeLessThan(400_000);
  });

  test('a program that never reads its input still answers', async () => {
    const long = { text: 'x'.repeat(900_000) };
    expect(await resultOf(call('deaf/run', long))).toEqual({ deaf: true });
  });
});
