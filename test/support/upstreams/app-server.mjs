// An MCP server with apps, written with the official SDK. Arguments: the era, and a folder with its pages. The test
// changes the pages while the server is down.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

const [, , era, folder] = process.argv;
const inputSchema = { type: 'object', properties: {} };
const mimeType = 'text/html;profile=mcp-app';
const ui = (resourceUri, more = {}) => ({ _meta: { ui: { resourceUri, ...more } } });
const appOnly = { visibility: ['app'] };

const tools = [
  { name: 'show', description: 'Shows the board.', inputSchema, ...ui('ui://desk/page') },
  {
    name: 'old',
    description: 'Names its app in the older place.',
    inputSchema,
    _meta: { 'ui/resourceUri': 'ui://desk/page' },
  },
  { name: 'refresh', description: 'Refreshes the board.', inputSchema, ...ui('ui://desk/page', appOnly) },
  {
    name: 'wipe',
    description: 'Wipes the board.',
    inputSchema,
    annotations: { destructiveHint: true },
    ...ui('ui://desk/page', appOnly),
  },
  // The address of an app of another package, as clients of the host read it.
  { name: 'foreign', description: 'Names a foreign app.', inputSchema, ...ui('ui://bank/server/desk/page') },
  { name: 'missing', description: 'Names an app that cannot be read.', inputSchema, ...ui('ui://desk/none') },
  { name: 'plain', description: 'Names no app.', inputSchema, ...ui('https://example.com/page') },
  { name: 'embed', description: 'Has pages in its result.', inputSchema },
  { name: 'leave', description: 'Ends the server.', inputSchema },
];
const page = (name) => readFileSync(join(folder, `${name}.html`), 'utf8');

function makeServer() {
  const server = new Server(
    { name: 'apps', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {} } },
  );
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('resources/list', () => ({
    resources: [{ uri: 'ui://desk/page', name: 'page', mimeType, _meta: { ui: { prefersBorder: true } } }],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'ui://desk/part/{id}', name: 'part' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    appendFileSync(join(folder, 'log'), `read ${uri}\n`);
    if (!uri.startsWith('ui://desk/')) return { contents: [] };
    const csp = JSON.parse(page('csp'));
    const text = page(uri.slice('ui://desk/'.length).replaceAll('/', '-'));
    return { contents: [{ uri, mimeType, text, _meta: { ui: { csp } } }] };
  });
  server.setRequestHandler('tools/call', ({ params: { name } }) => {
    appendFileSync(join(folder, 'log'), `call ${name}\n`);
    if (name === 'leave') setTimeout(() => process.exit(0), 50);
    if (name !== 'embed') return { content: [{ type: 'text', text: name }] };
    const _meta = { ui: { csp: JSON.parse(page('csp')) } };
    const resource = { uri: 'ui://desk/page', mimeType, text: page('page'), _meta };
    return {
      content: [
        { type: 'resource', resource },
        { type: 'resource', resource: { ...resource, text: '<p>another</p>' } },
        { type: 'resource_link', uri: 'ui://desk/page', name: 'page' },
      ],
    };
  });
  return server;
}

if (era === '2025') await makeServer().connect(new StdioServerTransport());
else serveStdio(() => makeServer(), { legacy: 'reject' });
