// The script runner compared with the plain interpreter: same output and exit code for all kinds of scripts.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonScript, readExitMarker } from '../../../src/run/worker/python-script.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-script-'));
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'beside.py'), 'VALUE = 7\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const user = process.getuid?.() === 0 ? { uid: 65533, gid: 65533 } : {};

function run(args: readonly string[], input: string) {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-B', '-s', ...args], {
    ...user,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    input,
  });
  return { status, stdout, stderr: stderr.toString() };
}

const scripts: Record<string, string> = {
  'prints and exits': 'import json, sys\nprint(json.dumps({"got": sys.stdin.read()}))',
  'uses its name, file, arguments and path':
    'import sys, os\nprint(__name__, os.path.basename(__file__), [os.path.basename(it) for it in sys.argv], os.path.basename(sys.path[0]), __doc__)',
  'has a docstring':
    '"""What it is for."""\nprint(__doc__, sorted(it for it in globals() if not it.startswith("__")))',
  'imports a file next to it': 'import beside\nprint(beside.VALUE)',
  'is the real main module':
    'import dataclasses, pickle, sys, typing\n@dataclasses.dataclass\nclass Point:\n    x: int\nassert sys.modules["__main__"].Point is Point\nprint(pickle.loads(pickle.dumps(Point(3))), typing.get_type_hints(Point))',
  'uses future annotations':
    'from __future__ import annotations\nx: Undefined = 1\nprint(x, __annotations__)',
  'declares its own encoding': '# -*- coding: latin-1 -*-\nprint(len("\u00e9"))',
  'has no output': 'pass',
  'exits with a code': 'import sys\nprint("x")\nsys.exit(3)',
  'exits with a message': 'import sys\nsys.exit("no such city")',
  'exits without a code': 'raise SystemExit',
  'exits with a large code': 'raise SystemExit(259)',
  'exits at once': 'import os\nprint("lost", flush=True)\nos._exit(5)',
  fails: 'def deeper():\n    raise ValueError("odd")\n\n\ndeeper()',
  'fails with a cause':
    'try:\n    {}["a"]\nexcept KeyError as error:\n    raise RuntimeError("worse") from error',
  'has a syntax error': 'print("x"\nx = 1',
  'has an excepthook':
    'import sys\nsys.excepthook = lambda kind, error, trace: print("hooked", kind.__name__, file=sys.stderr)\nraise OSError(1)',
  'has an atexit handler': 'import atexit\natexit.register(lambda: print("bye"))\nprint("hi")',
  'has a thread that ends later':
    'import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.2), print("late"))).start()\nprint("early")',
  'has a daemon thread':
    'import threading, time\nthreading.Thread(target=lambda: time.sleep(60), daemon=True).start()\nprint("done")',
  forks:
    'import os, sys\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n    print("parent")\nelse:\n    print("child")\n    sys.exit(9)',
  'cleans up a temporary folder':
    'import tempfile, os\nfolder = tempfile.TemporaryDirectory()\nprint(os.path.exists(folder.name))',
  'runs other programs':
    'import subprocess\nprint(subprocess.run(["echo", "x"], capture_output=True, text=True).stdout)',
  'runs asyncio':
    'import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 4\nprint(asyncio.run(main()))',
  'uses multiprocessing':
    'import multiprocessing\ndef twice(x):\n    return 2 * x\nif __name__ == "__main__":\n    with multiprocessing.get_context("fork").Pool(2) as pool:\n        print(pool.map(twice, [1, 2]))',
};

describe('a script that', () => {
  for (const [name, text] of Object.entries(scripts)) {
    test(`${name} behaves the same`, () => {
      const path = join(folder, 'tool.py');
      writeFileSync(path, name.includes('encoding') ? Buffer.from(text, 'latin1') : text);
      const plain = run([path], '{"a":1}');
      const marked = run(['-c', pythonScript, path], '{"a":1}');
      const end = readExitMarker(marked.stdout);
      expect((end?.output ?? marked.stdout).toString()).toBe(plain.stdout.toString());
      expect(marked.stderr).toBe(plain.stderr);
      expect(marked.status).toBe(plain.status);
      // After os._exit there is no exit marker.
      if (name === 'exits at once') expect(end).toBeUndefined();
      else expect(end?.code).toBe(plain.status);
    });
  }
});

test('an exit marker counts only at the very end', () => {
  expect(readExitMarker(Buffer.from('{"a":1}\n\0toolwharf-exit 0\n'))).toMatchObject({ code: 0 });
  expect(readExitMarker(Buffer.from('x\0toolwharf-exit 7\n'))?.output.toString()).toBe('x');
  expect(readExitMarker(Buffer.from('\0toolwharf-exit 0\nmore'))).toBeUndefined();
  expect(readExitMarker(Buffer.from('toolwharf-exit 0\n'))).toBeUndefined();
  expect(readExitMarker(Buffer.from('\0toolwharf-exit 1234\n'))).toBeUndefined();
});
