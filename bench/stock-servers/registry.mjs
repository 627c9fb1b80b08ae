// The npm registry that npm uses on this machine, as a server on loopback: the host connects to no registry at a reserved
// or private address by itself. npm's own client fetches and caches, with npm's settings.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const npm = (...args) => execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Answers GET requests with what the registry has. Close it with `close`. */
export async function startRegistry() {
  const require = createRequire(join(npm('root', '-g').trim(), 'npm', 'package.json'));
  // It comes with npm.
  const client = 'npm-registry-fetch';
  const fetch = require(client);
  const settings = JSON.parse(npm('config', 'list', '--json'));
  const { registry, cafile, proxy, noproxy } = settings;
  const cache = join(settings.cache, '_cacache');
  const options = { registry, cache, cafile, proxy, httpsProxy: settings['https-proxy'], noProxy: noproxy };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    try {
      if (request.method !== 'GET') return response.writeHead(405).end();
      const isArchive = path.includes('/-/');
      const accept = request.headers.accept ?? '*/*';
      const answer = await fetch(path, { ...options, preferOffline: true, headers: { accept } });
      const bytes = await answer.buffer();
      if (isArchive) return response.end(bytes);
      const own = `http://${request.headers.host}/`;
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(bytes.toString().replaceAll(`"tarball":"${registry}`, `"tarball":"${own}`));
    } catch (error) {
      return response.writeHead(Number(error.statusCode) || 502).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
