// What a module exports, as far as its text says. Anything that only running it would tell makes the
// answer open, and then nothing is called missing.
import type { AnyNode, Expression, ObjectExpression, Program } from 'acorn';
import { mentions, type Reach } from './mentions.js';
import type { Span } from './script.js';

/** `unknown`: it is there, and what it is shows only when it runs. */
export type Callable = 'yes' | 'no' | 'unknown';

export interface Exported extends Span {
  readonly callable: Callable;
}

/** An object whose members are handlers. */
export interface Table extends Span {
  readonly members: Map<string, Exported>;
}

export interface Open extends Span {
  readonly reason: string;
}

export interface ModuleExports {
  readonly named: Map<string, Exported>;
  /** `export const handlers = { … }` */
  handlers?: Table;
  /** `export default { … }` or `module.exports = { … }` */
  standard?: Table;
  readonly open: Open[];
}

type Bindings = Map<string, AnyNode | null>;

export function readExports(program: Program): ModuleExports {
  const found: ModuleExports = { named: new Map(), open: [] };
  const bindings = topLevel(program);
  let modern = false;
  for (const node of program.body) {
    switch (node.type) {
      case 'ImportDeclaration':
        modern = true;
        break;
      case 'ExportAllDeclaration':
        modern = true;
        if (node.exported === null || node.exported === undefined) {
          found.open.push({
            ...spanOf(node),
            reason: '"export *" passes on names that are not written here',
          });
        } else {
          const name = nameOf(node.exported);
          found.named.set(name, { ...spanOf(node.exported), callable: 'no' });
          if (name === 'handlers')
            found.open.push({ ...spanOf(node), reason: 'the table is another module' });
        }
        break;
      case 'ExportNamedDeclaration':
        modern = true;
        if (node.declaration) {
          for (const [name, at] of declared(node.declaration))
            offer(name, bindings.get(name) ?? null, at, name);
        }
        for (const it of node.specifiers) {
          const local = it.local.type === 'Identifier' && !node.source ? it.local.name : null;
          offer(
            nameOf(it.exported),
            local === null ? null : (bindings.get(local) ?? null),
            it.exported,
            local,
          );
        }
        break;
      case 'ExportDefaultDeclaration': {
        modern = true;
        const local = node.declaration.type === 'Identifier' ? node.declaration.name : null;
        const value = local === null ? node.declaration : (bindings.get(local) ?? null);
        found.named.set('default', { ...spanOf(node), callable: callableOf(value, bindings) });
        const table = tableOf(value, local, node);
        if (table !== null) found.standard = table;
        break;
      }
    }
  }
  if (!modern) readCommonJs();
  return found;

  function offer(name: string, value: AnyNode | null, at: Span, local: string | null): void {
    found.named.set(name, { ...spanOf(at), callable: callableOf(value, bindings) });
    if (name !== 'handlers') return;
    const table = tableOf(value, local, at);
    if (table !== null) found.handlers = table;
  }

  /** Null when the value is no table, or one that cannot be read; the latter makes the answer open. */
  function tableOf(value: AnyNode | null, local: string | null, at: Span): Table | null {
    const object = objectOf(value, bindings);
    if (object === null) {
      const callable = callableOf(value, bindings);
      if (callable === 'unknown')
        found.open.push({ ...spanOf(at), reason: 'the table of handlers is computed' });
      return null;
    }
    const table = readTable(object);
    if (local !== null) addLater(local, table);
    return table;
  }

  function readTable(object: ObjectExpression): Table {
    const table: Table = { ...spanOf(object), members: new Map() };
    for (const member of object.properties) {
      if (member.type === 'SpreadElement') {
        found.open.push({
          ...spanOf(member),
          reason: 'the spread brings in names that are not written here',
        });
        continue;
      }
      const name = keyOf(member.key, member.computed);
      if (name === null) found.open.push({ ...spanOf(member.key), reason: 'this name is computed' });
      else
        table.members.set(name, {
          ...spanOf(member.key),
          callable: callableOf(member.value as AnyNode, bindings),
        });
    }
    return table;
  }

  /** Members that the rest of the file puts into the table. */
  function addLater(local: string, table: Table): void {
    for (const use of mentions(program, local)) note(use, table.members);
  }

  function note(use: Reach, members: Map<string, Exported>): void {
    if (use.kind === 'set') {
      members.set(use.name, { ...spanOf(use.node), callable: callableOf(use.value, bindings) });
    } else if (use.kind === 'other') {
      found.open.push({ ...spanOf(use.node), reason: 'what is done here may add to the exports' });
    }
  }

  function readCommonJs(): void {
    for (const use of mentions(program, 'exports')) note(use, found.named);
    for (const use of mentions(program, 'module')) {
      if (use.kind !== 'set' || use.name !== 'exports') {
        found.open.push({ ...spanOf(use.node), reason: 'what is done here may add to the exports' });
        continue;
      }
      const local = use.value.type === 'Identifier' ? use.value.name : null;
      const table = tableOf(local === null ? use.value : (bindings.get(local) ?? null), local, use.node);
      if (table !== null) found.standard = table;
    }
    const nested = handlersIn(program);
    if (nested !== null) offer('handlers', nested, nested, nested.type === 'Identifier' ? nested.name : null);
  }
}

/** `exports.handlers = X`, or the member `handlers` of `module.exports = { … }`. */
function handlersIn(program: Program): AnyNode | null {
  for (const use of mentions(program, 'exports')) {
    if (use.kind === 'set' && use.name === 'handlers') return use.value;
  }
  for (const use of mentions(program, 'module')) {
    if (use.kind !== 'set' || use.value.type !== 'ObjectExpression') continue;
    for (const it of use.value.properties) {
      if (it.type === 'Property' && keyOf(it.key, it.computed) === 'handlers') return it.value as AnyNode;
    }
  }
  return null;
}

/** What each name at the top level stands for; null where only running tells. */
function topLevel(program: Program): Bindings {
  const bindings: Bindings = new Map();
  for (const node of program.body) {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    switch (declaration?.type) {
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
        if (declaration.id) bindings.set(declaration.id.name, declaration);
        break;
      case 'VariableDeclaration':
        for (const it of declaration.declarations) {
          if (it.id.type !== 'Identifier') continue;
          bindings.set(it.id.name, declaration.kind === 'const' ? (it.init ?? null) : null);
        }
        break;
    }
  }
  return bindings;
}

function declared(node: AnyNode): [string, Span][] {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    return node.id ? [[node.id.name, node.id]] : [];
  }
  if (node.type !== 'VariableDeclaration') return [];
  const names: [string, Span][] = [];
  const pending: AnyNode[] = node.declarations.map((it) => it.id);
  // A list that grows while it is read: patterns stand in each other.
  for (const next of pending) {
    if (next.type === 'Identifier') names.push([next.name, next]);
    else if (next.type === 'ObjectPattern') pending.push(...next.properties);
    else if (next.type === 'Property') pending.push(next.value as AnyNode);
    else if (next.type === 'ArrayPattern') pending.push(...next.elements.filter((it) => it !== null));
    else if (next.type === 'AssignmentPattern') pending.push(next.left);
    else if (next.type === 'RestElement') pending.push(next.argument);
  }
  return names;
}

function callableOf(value: AnyNode | null, bindings: Bindings, hops = 0): Callable {
  switch (value?.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return 'yes';
    case 'Literal':
    case 'TemplateLiteral':
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'ClassDeclaration':
    case 'ClassExpression':
      return 'no';
    case 'Identifier':
      return hops > 8 ? 'unknown' : callableOf(bindings.get(value.name) ?? null, bindings, hops + 1);
    default:
      return 'unknown';
  }
}

function objectOf(value: AnyNode | null, bindings: Bindings, hops = 0): ObjectExpression | null {
  if (value === null || hops > 8) return null;
  if (value.type === 'ObjectExpression') return value;
  if (value.type === 'Identifier') return objectOf(bindings.get(value.name) ?? null, bindings, hops + 1);
  // Object.freeze(x) is x.
  if (
    value.type === 'CallExpression' &&
    value.callee.type === 'MemberExpression' &&
    value.callee.object.type === 'Identifier' &&
    value.callee.object.name === 'Object' &&
    value.callee.property.type === 'Identifier' &&
    value.callee.property.name === 'freeze'
  ) {
    return objectOf(value.arguments[0] ?? null, bindings, hops + 1);
  }
  return null;
}

function keyOf(key: Expression | AnyNode, computed: boolean): string | null {
  if (key.type === 'Literal') return String(key.value);
  return !computed && key.type === 'Identifier' ? key.name : null;
}

function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : '';
}

function spanOf(node: Span): Span {
  return { start: node.start, end: node.end };
}
