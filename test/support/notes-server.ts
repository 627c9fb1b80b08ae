// An MCP server as an npm package, and a registry on loopback that has only this package.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { bareServer } from './mcp-upstream.js';
import { type LoopbackServer, loopbackServer, temporaryFolder } from './toolwharf.js';

/** Needs TOKEN, tries to reach a host (and those in ALSO) when it starts, and shows its arguments. */
export const notesServer = `#!/usr/bin/env node
${bareServer(`
if (process.env.TOKEN === undefined) { console.error('TOKEN is missing'); process.exit(2); }
const { request } = await import('node:http');
const proxy = process.env.HTTP_PROXY ?? process.env.http_proxy;
const hosts = ['api.example.com:443', ...(process.env.ALSO?.split(',') ?? [])];
for (const path of proxy === undefined ? [] : hosts) await new Promise((done) => {
  const { hostname, port } = new URL(proxy);
  const asked = request({ host: hostname, port, method: 'CONNECT', path });
  asked.on('connect', (_, socket) => { socket.destroy(); done(); }).on('error', done).end();
});
on = {
  'tools/list': () => ({ tools: [{ name: 'see', description: 'Shows what it got.', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: JSON.stringify({ args: process.argv.slice(2), mode: process.env.MODE }) }] }),
};`)}`;

const archive = (() => {
  const folder = temporaryFolder({
    'package/package.json': JSON.stringify({
      ...{ name: '@example/notes', version: '1.4.0', type: 'module', bin: { 'notes-server': 'server.mjs' } },
      scripts: { install: 'echo yes > built.txt' },
    }),
    'package/server.mjs': notesServer,
  });
  const bytes = execFileSync('tar', ['-cz', '-C', folder.path, 'package']);
  folder.remove();
  return bytes;
})();

/** A registry with one package. */
export function notesRegistry(): Promise<LoopbackServer> {
  return loopbackServer((request, response) => {
    if (request.url === '/notes.tgz') return response.end(archive);
    if (decodeURIComponent(request.url ?? '') !== '/@example/notes') return response.writeHead(404).end();
    const dist = {
      tarball: `http://${request.headers.host}/notes.tgz`,
      integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
    };
    const version = {
      ...{ name: '@example/notes', version: '1.4.0', bin: { 'notes-server': 'server.mjs' } },
      ...{ hasInstallScript: true, dist },
    };
    const document = {
      name: '@example/notes',
      'dist-tags': { latest: '1.4.0' },
      versions: { '1.4.0': version },
    };
    return response.end(JSON.stringify(document));
  });
}
