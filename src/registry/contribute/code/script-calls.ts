import type { AnyNode } from 'acorn';
import { parseScript } from '../../../formats/javascript/script.js';
import type { CodeEffect, ScannedCall, ScannedCode } from './scanned-code.js';
import { importedNames } from './script-imports.js';

const modules: readonly (readonly [CodeEffect, RegExp])[] = [
  ['process', /^(?:child_process|worker_threads|cluster|execa|cross-spawn|shelljs)(?:\.|$)/],
  [
    'network',
    /^(?:(?:https?|net|tls|dgram|http2|dns|dns\/promises|undici|axios|node-fetch|got|ws|superagent|request)(?:\.|$)|fetch$|WebSocket$|XMLHttpRequest$|EventSource$|navigator\.sendBeacon$)/,
  ],
  [
    'write',
    /^(?:(?:fs|fs\/promises|fs-extra)\.(?:promises\.)?(?:write\w{0,20}|append\w{0,20}|create(?:WriteStream)|rm\w{0,10}|unlink\w{0,10}|rename\w{0,10}|mkdir\w{0,10}|cp\w{0,10}|copy\w{0,10}|chmod\w{0,10}|chown\w{0,10}|symlink\w{0,10}|link\w{0,10}|truncate\w{0,10}|outputFile\w{0,10}))$/,
  ],
  ['native', /^process\.(?:binding|_linkedBinding|dlopen)$/],
  ['dynamic', /^(?:eval|Function|globalThis\.eval|vm\.\w{1,40}|module\._compile)$/],
];
const decoders =
  /^(?:atob|unescape|decodeURIComponent|String\.fromCharCode|String\.fromCodePoint|Buffer\.from|zlib\.\w{1,40})$/;
const harmless =
  /^(?:https?\.(?:Agent|createServer|globalAgent)|dns\.setServers|worker_threads\.(?:isMainThread|parentPort))$/;

/** The calls of a JavaScript or TypeScript file that reach outside, run other code or run on import. Nothing is run. */
export function scriptCalls(text: string, language: 'javascript' | 'typescript'): ScannedCode {
  const script = parseScript(text, language);
  if (script.kind === 'unchecked') return script;
  if (script.kind === 'syntax-error')
    return { kind: 'unchecked', reason: script.message, range: script.range };
  const names = importedNames(script.program);
  const calls: ScannedCall[] = [];
  const pending: { node: AnyNode; onImport: boolean }[] = [{ node: script.program, onImport: true }];
  // A list instead of recursion: chains can be as long as the file.
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { node, onImport } = item;
    const call = scannedCall(node, names);
    if (call !== undefined) calls.push({ ...call, onImport, range: script.rangeOf(node) });
    for (const child of childrenOf(node))
      pending.push({ node: child, onImport: onImport && runsAtOnce(node, child) });
  }
  calls.sort((a, b) => a.range.line - b.range.line || a.range.column - b.range.column);
  return { kind: 'scanned', calls };
}

function scannedCall(
  node: AnyNode,
  names: ReadonlyMap<string, string>,
): Pick<ScannedCall, 'effect' | 'what'> | undefined {
  if (node.type === 'ImportExpression')
    return node.source.type === 'Literal' || node.source.type === 'TemplateLiteral'
      ? undefined
      : { effect: 'dynamic', what: 'import()' };
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const name = nameOf(node.callee as AnyNode, names);
  if (name === undefined || harmless.test(name)) return undefined;
  const what = `${name.slice(0, 40)}()`;
  if (name === 'require' && node.arguments[0]?.type !== 'Literal') return { effect: 'dynamic', what };
  const effect = modules.find(([, pattern]) => pattern.test(name))?.[0];
  if (effect === undefined) return undefined;
  if (effect !== 'dynamic') return { effect, what };
  const args = node.arguments as AnyNode[];
  if (args.some((it) => hasDecoding(it, names))) return { effect: 'decoded', what };
  const isLiteral = args.every(
    (it) => it.type === 'Literal' || (it.type === 'TemplateLiteral' && it.expressions.length === 0),
  );
  return isLiteral ? undefined : { effect, what };
}

/** `a.b.c` with the module that `a` stands for; undefined for computed names. */
function nameOf(node: AnyNode, names: ReadonlyMap<string, string>): string | undefined {
  const members: string[] = [];
  let current = node;
  for (;;) {
    if (current.type === 'MemberExpression') {
      const { property } = current;
      if (property.type === 'Literal') members.unshift(String(property.value));
      else if (!current.computed && property.type === 'Identifier') members.unshift(property.name);
      else return undefined;
      current = current.object as AnyNode;
    } else if (current.type === 'ChainExpression') current = current.expression as AnyNode;
    else if (current.type === 'AwaitExpression' || current.type === 'ParenthesizedExpression')
      current =
        (current as { argument?: AnyNode; expression?: AnyNode }).argument ??
        (current as unknown as { expression: AnyNode }).expression;
    else if (current.type === 'SequenceExpression') current = current.expressions.at(-1) as AnyNode;
    else break;
  }
  if (current.type === 'Identifier') return [names.get(current.name) ?? current.name, ...members].join('.');
  if (
    current.type === 'CallExpression' &&
    current.callee.type === 'Identifier' &&
    current.callee.name === 'require'
  ) {
    const [module] = current.arguments;
    if (module?.type === 'Literal') return [String(module.value).replace(/^node:/, ''), ...members].join('.');
  }
  return undefined;
}

function hasDecoding(node: AnyNode, names: ReadonlyMap<string, string>): boolean {
  const pending = [node];
  for (let it = pending.pop(); it !== undefined; it = pending.pop()) {
    if (it.type === 'CallExpression' && decoders.test(nameOf(it.callee as AnyNode, names) ?? '')) return true;
    pending.push(...childrenOf(it));
  }
  return false;
}

/** Whether a part of a node runs when the node does. A function that is called where it is written does. */
function runsAtOnce(node: AnyNode, child: AnyNode): boolean {
  if (isFunction(child))
    return (
      (node.type === 'CallExpression' || node.type === 'NewExpression') && (node.callee as AnyNode) === child
    );
  if (node.type === 'PropertyDefinition') return node.static || child !== node.value;
  return true;
}

function isFunction({ type }: AnyNode): boolean {
  return (
    type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
  );
}

function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
