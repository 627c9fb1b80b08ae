// Texts with the half that they are in. The half is a bit of a hash of the text: the rules were tuned on the first half
// only, and the second was not looked at.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readPackages } from '../search/corpus.mjs';
import { catalog } from '../tool-catalog.mjs';

const root = new URL('../../', import.meta.url).pathname;
const data = join(root, '../shared/data');

export const hasData = existsSync(data);

export function halfOf(text) {
  return (createHash('sha256').update(text).digest()[0] & 1) === 0 ? 'tuning' : 'quoted';
}

function read(name) {
  return hasData ? JSON.parse(gunzipSync(readFileSync(join(data, `${name}.json.gz`))).toString('utf8')) : [];
}

const unique = (texts) => [...new Set(texts)];

/** Texts that should not be in a description. */
export function attacks() {
  const asb = read('asb-attack-tools');
  return {
    'ASB attacker tools, description': unique(asb.map((it) => it.Description)),
    'ASB attacker tools, instruction': unique(asb.map((it) => it['Attacker Instruction'])),
    'BIPIA injections': unique(read('bipia-attacks').map((it) => it.text)),
    'CyberSecEval prompt injections': unique(
      read('cyberseceval-prompt-injection').map((it) => it.user_input),
    ),
  };
}

/** Strings that programs stumble over. Only some of them have characters that readers do not see. */
export function naughtyStrings() {
  return unique(read('blns'));
}

/** Descriptions that people wrote for other people and models, without an attack in mind. */
export function ordinary() {
  const suites = ['agentdojo-replay', 'agentdyn-replay'].flatMap((it) =>
    Object.values(read(it).suites ?? {}),
  );
  return {
    'AgentDojo and AgentDyn tools': unique(
      suites.flatMap((it) => it.tools.flatMap((tool) => [tool.description, ...described(tool.inputSchema)])),
    ),
    'stock MCP servers': unique(stockServers()),
    'catalog of the search bench': unique(
      readPackages().flatMap((it) => [it.description, ...it.tools.map((tool) => tool.description)]),
    ),
    'catalog of the tools bench': unique(catalog().map((it) => it.description)),
  };
}

function described(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : described(value),
  );
}

/** The descriptions in the code of the servers that the tests use. */
function stockServers() {
  const modules = join(root, 'node_modules/@modelcontextprotocol');
  const literal =
    /\b(?:description|title|instructions)\s*:\s*((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)(?:\s*\+\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`))*)|\.describe\(\s*((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)(?:\s*\+\s*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`))*)/g;
  const texts = [];
  for (const server of existsSync(modules)
    ? readdirSync(modules).filter((it) => it.startsWith('server-'))
    : [])
    for (const path of readdirSync(join(modules, server, 'dist'), { recursive: true, encoding: 'utf8' })) {
      const full = join(modules, server, 'dist', path);
      if (!/\.(?:js|md)$/.test(path) || path.includes('__tests__')) continue;
      const code = readFileSync(full, 'utf8');
      if (path.endsWith('.md')) texts.push(...code.split(/\n\s*\n/));
      else for (const match of code.matchAll(literal)) texts.push(plain(match[1] ?? match[2]));
    }
  return texts.filter((it) => it.trim() !== '');
}

/** The tools of those servers: a description may speak of another tool of its own server. */
export function stockTools() {
  const modules = join(root, 'node_modules/@modelcontextprotocol');
  const names = new Set();
  for (const server of existsSync(modules)
    ? readdirSync(modules).filter((it) => it.startsWith('server-'))
    : [])
    for (const path of readdirSync(join(modules, server, 'dist'), { recursive: true, encoding: 'utf8' }))
      if (path.endsWith('.js'))
        for (const [, name] of readFileSync(join(modules, server, 'dist', path), 'utf8').matchAll(
          /\b(?:name\s*[:=]|registerTool\()\s*["']([\w-]{3,64})["']/g,
        ))
          names.add(name);
  return names;
}

function plain(literal) {
  return literal
    .replace(/["'`]\s*\+\s*["'`]/g, '')
    .slice(1, -1)
    .replace(/\\n/g, '\n')
    .replace(/\\(.)/g, '$1');
}

/** Manifests of others. */
export function foreignManifests() {
  const folder = join(data, 'manifests/nexo');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

export const exampleFolders = ['examples', 'examples-extra'].map((it) => join(root, it)).filter(existsSync);
