import { parser } from '@lezer/python';
import { SourceText } from '../../../formats/document/source-text.js';
import { isTooDeep } from '../../../formats/python/nesting.js';
import type { SyntaxNode } from '../../../formats/python/syntax-node.js';
import { pythonProblem } from '../../../formats/python/syntax-problem.js';
import type { CodeEffect, ScannedCall, ScannedCode } from './scanned-code.js';

const effects: readonly (readonly [CodeEffect, RegExp])[] = [
  [
    'process',
    /^(?:subprocess\.\w{1,40}|os\.(?:system|popen|exec\w{1,4}|spawn\w{1,5}|posix_spawnp?|fork|forkpty|kill|startfile)|pty\.\w{1,20}|commands\.\w{1,20}|asyncio\.create_subprocess_\w{1,10}|multiprocessing\.Process)$/,
  ],
  [
    'network',
    /^(?:socket\.(?:socket|create_connection|create_server)|(?:urllib\.request|urllib2)\.\w{1,40}|http\.client\.\w{1,40}|(?:requests|httpx|aiohttp|urllib3|websocket|websockets|ftplib|smtplib|telnetlib|paramiko|xmlrpc\.client)\.\w{1,40}|asyncio\.open_connection)$/,
  ],
  [
    'write',
    /^(?:open|io\.open|os\.(?:remove|unlink|rename|replace|rmdir|removedirs|mkdir|makedirs|chmod|chown|symlink|link|truncate|putenv|write)|shutil\.\w{1,40}|(?:pathlib\.)?Path\.(?:write_text|write_bytes|unlink|touch|rename)|tempfile\.\w{1,40})$/,
  ],
  [
    'native',
    /^(?:ctypes\.\w{1,40}|cffi\.\w{1,40}|importlib\.import_module|__import__|imp\.load_\w{1,20}|runpy\.\w{1,20}|pip\.\w{1,20})$/,
  ],
  [
    'dynamic',
    /^(?:exec|eval|compile|builtins\.(?:exec|eval|compile)|__builtins__\.\w{1,20}|marshal\.loads?|pickle\.loads?|types\.(?:FunctionType|CodeType))$/,
  ],
];

/** Results of these are not what the source says. */
const decoding =
  /\b(?:b64decode|b32decode|b16decode|b85decode|a85decode|urlsafe_b64decode|fromhex|unhexlify|decompress|marshal\s{0,4}\.\s{0,4}loads?|codecs\s{0,4}\.\s{0,4}decode|rot_?13|\[::-1\])|\bchr\s{0,4}\(/;
/** Code that is written down where it is run, such as a literal. */
const literal = /^\(\s{0,20}(?:[rRbBuU]{0,2}(?:"[^"\\]{0,2000}"|'[^'\\]{0,2000}'))/;

/** The calls of a Python file that reach outside, run other code or run on import. Nothing is run. */
export function pythonCalls(text: string): ScannedCode {
  if (isTooDeep(text)) return { kind: 'unchecked', reason: 'it is nested too deeply' };
  const source = new SourceText(text);
  const problem = pythonProblem(text);
  if (problem !== undefined)
    return { kind: 'unchecked', reason: problem.message, range: source.range(problem.at, problem.end) };
  const top = parser.parse(text).topNode;
  const names = importedMembers(top, text);
  const calls: ScannedCall[] = [];
  top.cursor().iterate((node) => {
    if (node.name !== 'CallExpression') return true;
    const callee = node.node.firstChild;
    if (callee === null) return true;
    const written = text.slice(callee.from, callee.to).replace(/\s/g, '').slice(0, 200);
    const effect = effectOf(resolved(written, names), text.slice(callee.to, node.to));
    if (effect === undefined) return true;
    const line = text.slice(node.from, node.to).split('\n', 1)[0] as string;
    calls.push({
      effect,
      onImport: runsOnImport(node.node, text),
      what: `${written.slice(0, 40)}()`,
      range: source.range(node.from, node.from + line.length),
    });
    return true;
  });
  return { kind: 'scanned', calls };
}

function effectOf(name: string, args: string): CodeEffect | undefined {
  const method = name.slice(name.lastIndexOf('.') + 1);
  const effect = effects.find(([, pattern]) => pattern.test(name))?.[0];
  if (effect === 'dynamic')
    return decoding.test(args) ? 'decoded' : literal.test(args) ? undefined : 'dynamic';
  if (effect === 'native' && /^(?:__import__|importlib\.import_module)$/.test(name))
    return literal.test(args) ? undefined : 'dynamic';
  if (effect === 'write' && method === 'open')
    return /['"][rbtU]{0,2}[wax+][rbt+]{0,2}['"]/.test(args.slice(0, 2000)) ? 'write' : undefined;
  if (effect === undefined && /^(?:write_text|write_bytes)$/.test(method)) return 'write';
  return effect;
}

/** By local name: the module or member that it stands for. */
function importedMembers(top: SyntaxNode, text: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  top.cursor().iterate((node) => {
    if (node.name !== 'ImportStatement') return true;
    const written = text
      .slice(node.from, node.to)
      .replace(/[()\\]/g, ' ')
      .replace(/\s+/g, ' ');
    const from = /^from ([\w.]{1,200}) import (.{1,5000})$/.exec(written);
    const plain = /^import (.{1,5000})$/.exec(written);
    for (const part of (from?.[2] ?? plain?.[1] ?? '').split(',')) {
      const [, member, alias] = /^ ?([\w.*]{1,200})(?: as (\w{1,200}))? ?$/.exec(part) ?? [];
      if (member === undefined) continue;
      if (from !== null) names.set(alias ?? member, `${from[1]}.${member}`);
      else if (alias !== undefined) names.set(alias, member);
    }
    return false;
  });
  return names;
}

function resolved(written: string, names: ReadonlyMap<string, string>): string {
  const [first = '', ...rest] = written.split('.');
  return [names.get(first) ?? first, ...rest].join('.');
}

/** Not inside a function, a lambda or the part that only runs as a script. */
function runsOnImport(node: SyntaxNode, text: string): boolean {
  for (let it: SyntaxNode | null = node; it !== null; it = it.parent) {
    if (it.name === 'LambdaExpression') return false;
    if (it.name === 'Body' && it.parent?.name === 'FunctionDefinition') return false;
    if (it.name === 'Body' && it.parent?.name === 'IfStatement') {
      const test = it.parent.firstChild?.nextSibling;
      if (test && /__name__\s{0,4}==\s{0,4}['"]__main__['"]/.test(text.slice(test.from, test.to)))
        return false;
    }
  }
  return true;
}
