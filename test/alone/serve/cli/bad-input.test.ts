// Common mistakes and failures: each has a clear message and the right exit code, and no data is lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../../../src/index.js';
import {
  findagentTool,
  main,
  patchTool,
  temporaryFolder,
  toolwharf,
  until,
} from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let state: string[];

beforeAll(() => {
  folder = temporaryFolder({
    'crash.py': patchTool({
      name: 'crash',
      body: '    raise ValueError("the third line of the file is odd")',
    }),
    'hang.py': patchTool({ name: 'hang', body: '    import time\n    time.sleep(600)\n    return {}' }),
    'silent.py': patchTool({ name: 'silent' }).replace(
      'print(json.dumps(main(**args)))',
      'main(**args) and print(end="")',
    ),
    'garbage.py': patchTool({ name: 'garbage' }).replace(
      'print(json.dumps(main(**args)))',
      'print("<html>", end="")',
    ),
    'chatty.py': patchTool({
      name: 'chatty',
      body: '    print("thinking aloud")\n    return {"done": True}',
    }),
    'bytes.py': patchTool({ name: 'bytes_out' }).replace(
      'print(json.dumps(main(**args)))',
      'print(end="", flush=True); sys.stdout.buffer.write(b"\\xff\\xfe")',
    ),
    'flood.py': patchTool({ name: 'flood' }).replace(
      'print(json.dumps(main(**args)))',
      '[print("x" * 65536) for _ in range(100000)]',
    ),
    'wrong.py': patchTool({ name: 'wrong', body: '    return ["a", "list"]' }),
    'broken.yaml.py': patchTool({ name: 'broken' }).replace('# outputs:', '# outputs: [unclosed'),
    'broken/findagent.json': '{"name": "Broken",}\n',
    'stranger/findagent.json': findagentTool(9).replace('http://127.0.0.1:9/', 'https://169.254.169.254/'),
    'notes.txt': 'nothing to see\n',
  });
  mkdirSync(join(folder.path, 'empty'));
  state = ['--state', join(folder.path, 'state')];
});

afterAll(() => folder.remove());

const call = (file: string, ...more: string[]) =>
  toolwharf(['call', join(folder.path, file), '{"text":"a"}', ...more, ...state]);

describe('paths and syntax', () => {
  test('a path that does not exist is a usage error', async () => {
    for (const command of ['validate', 'call', 'list']) {
      const done = await toolwharf([command, join(folder.path, 'nowhere.py'), ...state]);
      expect(done).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('no such file or folder: /'),
      });
    }
  });

  test('an empty folder is a usage error', async () => {
    const checked = await toolwharf(['validate', join(folder.path, 'empty')]);
    expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining('no manifest found in') });
    const called = await toolwharf(['call', join(folder.path, 'empty'), '{}', ...state]);
    expect(called).toMatchObject({ code: 2, stderr: expect.stringContaining('no tools found in') });
  });

  test('a file that is not a manifest is reported as an unknown format', async () => {
    const done = await toolwharf(['validate', 'notes.txt'], { cwd: folder.path });
    expect(done.code).toBe(3);
    expect(done.stdout).toContain('error[file.unknown-format]');
  });

  test('broken YAML and JSON are reported with file, line and column', async () => {
    const yaml = await toolwharf(['validate', 'broken.yaml.py'], { cwd: folder.path });
    expect(yaml.code).toBe(3);
    expect(yaml.stdout).toMatch(/error\[syntax\.yaml\][\s\S]*--> broken\.yaml\.py:\d+:\d+/);
    const json = await toolwharf(['validate', 'broken'], { cwd: folder.path });
    expect(json.code).toBe(3);
    expect(json.stdout).toMatch(/error\[syntax\.json\][\s\S]*--> broken\/findagent\.json:1:19/);
    const called = await toolwharf(['call', join(folder.path, 'broken.yaml.py'), '{}', ...state]);
    expect(called).toMatchObject({ code: 3, stderr: expect.stringContaining('not a valid package') });
  });

  test('arguments that are not JSON, and wrong options, are usage errors', async () => {
    expect(await call('crash.py', '--timeout', 'soon')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not a duration'),
    });
    expect(await toolwharf(['call', join(folder.path, 'crash.py'), '{"text":', ...state])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not JSON'),
    });
    expect(await toolwharf(['validate', '--fromat', 'json'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean --format?'),
    });
    expect(await toolwharf(['valdate'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "toolwharf validate"?'),
    });
    expect(await toolwharf([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Commands') });
    expect(
      await toolwharf(['call', '--allow', 'web:all', join(folder.path, 'crash.py'), ...state]),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a grant') });
  });

  test('with --json an error is one document on stdout', async () => {
    const done = await toolwharf(['call', '--json', join(folder.path, 'nowhere.py'), ...state]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      error: { code: 'not_found', message: expect.any(String), hint: expect.any(String) },
    });
  });
});

describe('tools that fail', () => {
  test('a crash is reported with the exit code and the last output of the tool', async () => {
    const done = await call('crash.py');
    expect(done.code).toBe(1);
    expect(done.stderr).toContain('crash/crash exited with code 1');
    expect(done.stderr).toContain('ValueError: the third line of the file is odd');
  });

  test('a tool that hangs ends at its timeout, and no process is left', async () => {
    const started = performance.now();
    const done = await call('hang.py', '--timeout', '500ms');
    expect(done).toMatchObject({ code: 8, stderr: expect.stringContaining('stopped after 0.5 s') });
    expect(performance.now() - started).toBeLessThan(8000);
    expect(hangingProcesses()).toEqual([]);
  });

  test('no output, garbage, bytes and too much output have different messages; a wrong type is a warning', async () => {
    expect(await call('silent.py')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('printed no output'),
    });
    expect(await call('garbage.py')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not JSON: "<html>"'),
    });
    expect(await call('bytes.py')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not valid UTF-8'),
    });
    expect(await call('flood.py')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('printed more than 10,485,760 bytes'),
    });
    expect(await call('wrong.py')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('differs from the output that its manifest describes'),
    });
  });

  test('output before the result is a warning, not a failure', async () => {
    const done = await call('chatty.py');
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('printed 1 line before its result'),
    });
    expect(JSON.parse(done.stdout)).toEqual({ done: true });
  });

  test('a denied host is named, and a grant does not allow the metadata address', async () => {
    const done = await toolwharf([
      'call',
      join(folder.path, 'stranger'),
      '{"number":"1"}',
      '--allow',
      'net:169.254.169.254',
      ...state,
    ]);
    expect(done).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('169.254.169.254:443 is a link-local address'),
    });
  });

  test('Ctrl-C ends the tool and the command', async () => {
    const done = await toolwharf(['call', join(folder.path, 'hang.py'), '{"text":"a"}', ...state], {
      during: (child) => void until(() => hangingProcesses().length > 0).then(() => child.kill('SIGINT')),
    });
    expect(done.code).toBe(130);
    expect(done.stderr).toContain('canceled');
    await until(() => hangingProcesses().length === 0);
  });
});

describe('hosts', () => {
  test('a second host on the same state directory is rejected, and the error names the process', async () => {
    const home = join(folder.path, 'locked');
    const host = await createHost({ state: home });
    await expect(createHost({ state: home })).rejects.toMatchObject({
      code: 'state_locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await host.close();
    await (await createHost({ state: home })).close();
  });

  test('the tools of a killed host end, and the next start reports the unknown outcome', async () => {
    const home = join(folder.path, 'killed');
    const served = spawn(process.execPath, [main, 'serve', folder.path, '--state', home, '--json'], {
      stdio: 'pipe',
    });
    await started(served);
    const calling = toolwharf(['call', join(folder.path, 'hang.py'), '{"text":"a"}', '--state', home]);
    await until(() => hangingProcesses().length > 0);
    await until(async () =>
      (await toolwharf(['audit', 'tail', '--json', '--state', home])).stdout.includes('"kind":"intent"'),
    );
    served.kill('SIGKILL');
    expect(await calling).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the host stopped before it answered'),
    });
    await until(() => hangingProcesses().length === 0);

    // Reading the audit log does not start a host. This command does.
    await toolwharf(['approvals', 'list', '--state', home]);
    const after = await toolwharf(['audit', 'tail', '--json', '--state', home]);
    expect(after.code).toBe(0);
    const lines = after.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    const intent = lines.find((it) => it.kind === 'intent');
    expect(lines.find((it) => it.kind === 'recovery')?.body).toEqual({
      callId: intent.body.callId,
      tool: 'hang/hang',
      status: 'outcome_unknown',
    });
    // It is shown until a person acknowledges it.
    const attention = async () =>
      JSON.parse((await toolwharf(['list', folder.path, '--attention', '--json', '--state', home])).stdout)
        .items as { kind: string; subject: string; command: string }[];
    const unknown = (await attention()).filter((it) => it.kind === 'outcome-unknown');
    expect(unknown).toMatchObject([{ subject: intent.body.callId }]);
    const args = unknown[0]?.command.split(' ').slice(1) ?? [];
    expect(await toolwharf([...args, '--state', home])).toMatchObject({ code: 0 });
    expect(await toolwharf([...args, '--state', home])).toMatchObject({ code: 2 });
    expect((await attention()).filter((it) => it.kind === 'outcome-unknown')).toEqual([]);
    // The call did not run again: the audit log has one intent of it.
    const entries = (await toolwharf(['audit', 'tail', '200', '--json', '--state', home])).stdout;
    expect(
      entries.split('\n').filter((it) => it.includes('"kind":"intent"') && it.includes('hang/hang')),
    ).toHaveLength(1);
    expect(await toolwharf(['audit', 'verify', '--state', home])).toMatchObject({ code: 0 });
    const next = await toolwharf(['call', join(folder.path, 'chatty.py'), '{"text":"a"}', '--state', home]);
    expect(next.code).toBe(0);
  });

  test('a host that is killed at any moment of its start leaves no process', async () => {
    for (let round = 0; round < 12; round++) {
      const home = join(folder.path, `early-${round}`);
      await toolwharf(['call', join(folder.path, 'hang.py'), '{"text":"a"}', '--state', home], {
        during: (child) => {
          const started = performance.now();
          const watch = () => {
            if (hangingProcesses().length > 0 || performance.now() - started > 5000)
              setTimeout(() => child.kill('SIGKILL'), round);
            else setImmediate(watch);
          };
          watch();
        },
      });
      await until(() => hangingProcesses().length === 0, 3000);
    }
  });

  test('a reader that closes the pipe early loses no entry of the audit log', async () => {
    const home = join(folder.path, 'early-reader');
    const line = `${process.execPath} ${main} call ${join(folder.path, 'chatty.py')} '{"text":"a"}' --state ${home} | true`;
    await new Promise((resolve) =>
      spawn('/bin/sh', ['-c', line], { stdio: 'ignore' }).once('close', resolve),
    );
    await until(async () => (await toolwharf(['audit', 'tail', '--json', '--state', home])).code === 0);
    const { stdout } = await toolwharf(['audit', 'tail', '--json', '--state', home]);
    expect(stdout).toContain('"kind":"outcome"');
    expect(stdout).not.toContain('outcome_unknown');
  });

  test('an MCP client waits for a command that has locked the state', async () => {
    const home = join(folder.path, 'busy');
    const slow = temporaryFolder({
      'slow.py': patchTool({ name: 'slow', body: '    import time\n    time.sleep(2)\n    return {}' }),
    });
    const calling = toolwharf(['call', join(slow.path, 'slow.py'), '{"text":"a"}', '--state', home]);
    await until(() => existsSync(join(home, 'lock.pid')));
    const client = spawn(process.execPath, [main, 'mcp', slow.path, '--state', home], {
      stdio: 'pipe',
      env: { ...process.env, TOOLWHARF_IDLE: '1s' },
    });
    const answer = new Promise<string>((resolve) =>
      client.stdout.once('data', (chunk) => resolve(String(chunk))),
    );
    client.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(JSON.parse(await answer)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    client.stdin.end();
    expect((await calling).code).toBe(0);
    await until(() => !existsSync(join(home, 'host.sock')));
    slow.remove();
  });

  test('the mcp command reports that its host was killed', async () => {
    const home = join(folder.path, 'shim');
    const served = spawn(process.execPath, [main, 'serve', folder.path, '--state', home, '--json'], {
      stdio: 'pipe',
    });
    await started(served);
    const done = await toolwharf(['mcp', folder.path, '--state', home], {
      open: true,
      during: (child) => {
        child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
        child.stdout?.once('data', () => served.kill('SIGKILL'));
      },
    });
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('error: the host stopped') });
    expect(done.stderr).not.toContain('at ');
  });

  test('a command does not wait for a lock file that is not valid', async () => {
    const home = join(folder.path, 'odd-lock');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(
      join(home, 'lock.db'),
      'garbage that is not a database, but long enough to be read as one'.repeat(20),
    );
    const started = performance.now();
    expect(await toolwharf(['list', folder.path, '--state', home])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be used'),
    });
    expect(performance.now() - started).toBeLessThan(8000);
  });

  test('a client of another version is rejected with the reason', async () => {
    const home = join(folder.path, 'version');
    const served = spawn(process.execPath, [main, 'serve', folder.path, '--state', home, '--json'], {
      stdio: 'pipe',
    });
    await started(served);
    const answer = await new Promise<string>((resolve) => {
      const socket = createConnection(join(home, 'host.sock'));
      socket.write(
        `${JSON.stringify({ toolwharf: 'hello', version: '0.0.1', surface: 'mcp', principal: 'x', directories: [], root: '/', allow: [] })}\n`,
      );
      socket.once('data', (chunk) => resolve(String(chunk)));
    });
    expect(JSON.parse(answer)).toMatchObject({ toolwharf: 'rejected', error: { code: 'host_version' } });
    served.kill('SIGTERM');
    await new Promise((resolve) => served.once('close', resolve));
    expect(existsSync(join(home, 'host.sock'))).toBe(false);
  });
});

/** Waits for the first line of a host in the foreground, which means that clients can connect. */
function started(served: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => served.stdout?.once('data', resolve));
}

/** Ids of all processes of the tool that hangs. */
function hangingProcesses(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('hang.py') &&
        !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(main)
      );
    } catch {
      return false;
    }
  });
}

test('a state directory that cannot be created is rejected at once', async () => {
  for (const args of [
    ['list', 'examples'],
    ['serve', 'examples', '--no-http'],
  ]) {
    const { code, stderr } = await toolwharf([...args, '--state', '/proc/nowhere/state']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('cannot be');
  }
});
