// "toolwharf serve" for one run of the suite, with a token that may approve.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Each run gets a host of its own, so that held calls of one do not affect the next. */
export async function serveHost({ root, folder, served, requests = [], plainNames = {} }) {
  const state = join(folder, 'state');
  const workspace = join(folder, 'workspace');
  for (const it of [state, workspace]) mkdirSync(it, { recursive: true });
  const config = join(folder, 'config.toml');
  // The suite calls tools with values that earlier answers repeat, which the labels of its one session would hold.
  const lines = ['[agent]', `server_requests = ${JSON.stringify(requests)}`, '[taint]', 'mode = "observe"'];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const run = (...args) => {
    const all = ['dist/main.cjs', ...args, '--json', '--state', state];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`toolwharf ${args[0]} ${args[1]} failed: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  // The suite answers our questions about held calls, which only a client that may approve gets.
  const { token: agentToken } = run('token', 'create', 'suite', '--may-approve');
  const args = ['dist/main.cjs', 'serve', ...served, '--port', '0', '--expose', 'all', '--root', workspace];
  const options = ['--json', '--state', state, '--config', config];
  const child = spawn(process.execPath, [...args, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const output = createInterface({ input: child.stdout });
  const first = await new Promise((resolve, reject) => {
    output.once('line', resolve);
    ended.then((code) => reject(new Error(`toolwharf serve ended with ${code}; was it built?`)));
  });
  output.on('line', () => {});
  const start = JSON.parse(first);
  try {
    const unfit = start.packages.filter((it) => it.state !== 'ready');
    if (unfit.length > 0) throw new Error(`packages of the test are not ready: ${JSON.stringify(unfit)}`);
    const renamed = Object.entries(plainNames).flatMap(([id, names]) =>
      names.flatMap((name) => ['--rename', `${id}/${name}=${name}`]),
    );
    if (renamed.length > 0) {
      run('set', 'save', 'suite', ...renamed);
      run('set', 'bind', 'suite', '--token', 'suite');
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { start: { ...start, agentToken }, close };
}
