// SECURITY.md: "The kill switch stops everything". A misspelled target must not look as if something was stopped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostError } from '../../../src/index.js';
import { type HttpBench, httpBench } from '../../support/http-bench.js';
import { patchTool, temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { resultOf } from '../../support/workbench.js';

describe('a host', () => {
  let home: HttpBench;
  beforeAll(async () => {
    home = await httpBench();
    const session = await home.bench.session({ principal: 'ada/mcp' });
    await resultOf(session.call({ tool: 'word_count', arguments: { text: 'a b' } }));
    await home.bench.host.tokens.create({ name: 'laptop', role: 'agent', expiresAt: null, by: 'test' });
  });
  afterAll(() => home.close());

  test.each([
    ['word_cuont', 'word_count'],
    ['word_count/wordcount2', 'word_count/word_count'],
    ['send_nota/send_note', 'send_note/send_note'],
    ['principal:ada/mpc', 'principal:ada/mcp'],
    ['principal:http/latop', 'principal:http/laptop'],
  ])('denies to stop %s and names %s, and nothing is stopped', async (wrong, meant) => {
    const failure = await home.bench.host.kills.set(wrong, 'test').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostError);
    expect(failure).toMatchObject({ code: 'not_found', hint: expect.stringContaining(meant) });
    expect((failure as HostError).hint).toContain('--force');
    const overHttp = await home.request('/api/v1/kills', {
      ...{ method: 'POST', token: home.operator },
      body: { target: wrong },
    });
    expect([overHttp.status, overHttp.json.error.hint]).toEqual([404, expect.stringContaining(meant)]);
    expect(await home.bench.host.kills.list()).toEqual([]);
  });

  test.each([
    'all',
    'word_count',
    'word_count/word_count',
    'principal:ada/mcp',
    'principal:ada',
    'principal:http/laptop',
    'door/look',
  ])('control: stops %s without a question', async (target) => {
    expect(await home.bench.host.kills.set(target, 'test')).toMatchObject({ changed: true });
    expect(await home.bench.host.kills.set(target, 'test')).toMatchObject({ changed: false });
    expect(await home.bench.host.kills.lift(target, 'test')).toBe(true);
    expect(await home.bench.host.kills.lift(target, 'test')).toBe(false);
  });

  test('stops an unknown target in advance with force, also over HTTP, and lifts it again', async () => {
    const { kills } = home.bench.host;
    expect(await kills.set('not-here-yet', 'test', true)).toMatchObject({ changed: true });
    await expect(kills.lift('not-here-yat', 'test')).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('did you mean not-here-yet?'),
    });
    expect(await kills.lift('not-here-yet', 'test')).toBe(true);
    const overHttp = await home.request('/api/v1/kills', {
      ...{ method: 'POST', token: home.operator },
      body: { target: 'not-here-yet', force: true },
    });
    expect(overHttp.status).toBe(200);
    await kills.lift('not-here-yet', 'test');
  });
});

describe('the command', () => {
  const folder = temporaryFolder({ 'tools/weather.py': patchTool({ name: 'weather' }) });
  const run = (...args: string[]) =>
    toolwharf([...args, '--state', join(folder.path, 'state')], { cwd: folder.path });
  beforeAll(async () => {
    expect((await run('call', join(folder.path, 'tools/weather.py'), '{"text":"a"}')).code).toBe(0);
  });
  afterAll(() => folder.remove());

  test('fails with exit code 2 and the near name, and writes no KILL file', async () => {
    const wrong = await run('kill', 'wether');
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(
        'did you mean weather? to stop it anyway: toolwharf kill wether --force',
      ),
    });
    expect(() => readFileSync(join(folder.path, 'state', 'KILL'))).toThrow('ENOENT');
    expect((await run('kill')).stdout).toBe('nothing is stopped\n');
    expect((await run('kill', '--lift', 'wether')).code).toBe(2);
  });

  test('control: stops what is known, and the rest with --force', async () => {
    expect((await run('kill', 'weather')).stdout).toContain('weather is stopped');
    expect((await run('kill', 'wether', '--force')).stdout).toContain('wether is stopped');
    expect((await run('kill', '--lift', 'wether')).code).toBe(0);
    expect((await run('kill', '--lift', 'weather')).code).toBe(0);
  });
});
