// The real `git http-backend` for repositories in a folder, as a handler of a Node server.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

const backends = ['/usr/lib/git-core/git-http-backend', '/usr/libexec/git-core/git-http-backend'];
const backend = backends.find((it) => existsSync(it)) ?? (backends[0] as string);

export function gitHandler(folder: string) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'https://127.0.0.1');
    const child = spawn(backend, {
      env: {
        PATH: '/usr/bin:/bin',
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        // The repositories may belong to another user than that of the test.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        ...(request.headers['content-encoding'] === undefined
          ? {}
          : { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
      },
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => {});
    let head = Buffer.alloc(0);
    let headDone = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (headDone) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      headDone = true;
      for (const line of head.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(/:\s*/, 2);
        if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
    });
    child.stdout.once('end', () => response.end());
    response.once('close', () => child.kill());
  };
}

/** Runs git on this machine with a fixed author and without the settings of the user. */
export function git(folder: string, ...args: string[]): string {
  const author = { NAME: 'Test', EMAIL: 'test@example.com', DATE: '2026-01-01T00:00:00Z' };
  const env: Record<string, string> = {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  for (const [key, value] of Object.entries(author))
    for (const role of ['AUTHOR', 'COMMITTER']) env[`GIT_${role}_${key}`] = value;
  return execFileSync('/usr/bin/git', ['-c', 'init.defaultBranch=main', '-c', 'safe.directory=*', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}
