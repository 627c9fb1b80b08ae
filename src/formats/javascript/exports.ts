// Finds what a module exports, from its text alone. Exports that are known only at run time are listed as
// unresolved, and then no export is reported as missing.
import type { AnyNode, Expression, ObjectExpression, Program } from 'acorn';
import { type NameUse, nameUses } from './name-uses.js';
import type { SourceSpan } from './script.js';

/** Whether an export is a function. `unknown`: this is known only at run time. */
export type Callable = 'yes' | 'no' | 'unknown';

/** One exported name. */
export interface ModuleExport extends SourceSpan {
  readonly callable: Callable;
}

/** An exported object whose members are handlers. */
export interface HandlerTable extends SourceSpan {
  readonly members: Map<string, ModuleExport>;
}

/** Code that may export names which are known only at run time. */
export interface UnresolvedExports extends SourceSpan {
  readonly reason: string;
}

/** Everything that a module exports. */
export interface ModuleExports {
  readonly named: Map<string, ModuleExport>;
  /** `export const handlers = { … }` */
  handlers?: HandlerTable;
  /** `export default { … }` or `module.exports = { … }` */
  defaultTable?: HandlerTable;
  readonly unresolved: UnresolvedExports[];
}

/** The value of each top-level name; null when it is known only at run time. */
type Bindings = Map<string, AnyNode | null>;

/** Reads the exports of an ES module, or of a CommonJS module if it has no import or export. */
export function readExports(program: Program): ModuleExports {
  const found: ModuleExports = { named: new Map(), unresolved: [] };
  const bindings = topLevel(program);
  let isEsModule = false;
  for (const node of program.body) {
    switch (node.type) {
      case 'ImportDeclaration':
        isEsModule = true;
        break;
      case 'ExportAllDeclaration':
        isEsModule = true;
        if (node.exported === null || node.exported === undefined) {
          found.unresolved.push({
            ...spanOf(node),
            reason: '"export *" adds names that this file does not list',
          });
        } else {
          const name = nameOf(node.exported);
          found.named.set(name, { ...spanOf(node.exported), callable: 'no' });
          if (name === 'handlers')
            found.unresolved.push({ ...spanOf(node), reason: 'the handler table is another module' });
        }
        break;
      case 'ExportNamedDeclaration':
        isEsModule = true;
        if (node.declaration) {
          for (const [name, at] of declared(node.declaration))
            addNamed(name, bindings.get(name) ?? null, at, name);
        }
        for (const it of node.specifiers) {
          const local = it.local.type === 'Identifier' && !node.source ? it.local.name : null;
          addNamed(
            nameOf(it.exported),
            local === null ? null : (bindings.get(local) ?? null),
            it.exported,
            local,
          );
        }
        break;
      case 'ExportDefaultDeclaration': {
        isEsModule = true;
        const local = node.declaration.type === 'Identifier' ? node.declaration.name : null;
        const value = local === null ? node.declaration : (bindings.get(local) ?? null);
        found.named.set('default', { ...spanOf(node), callable: callableOf(value, bindings) });
        const table = tableOf(value, local, node);
        if (table !== null) found.defaultTable = table;
        break;
      }
    }
  }
  if (!isEsModule) readCommonJs();
  return found;

  function addNamed(name: string, value: AnyNode | null, at: SourceSpan, local: string | null): void {
    found.named.set(name, { ...spanOf(at), callable: callableOf(value, bindings) });
    if (name !== 'handlers') return;
    const table = tableOf(value, local, at);
    if (table !== null) found.handlers = table;
  }

  /** Null when the value is not a table, or is computed; the latter is added to the unresolved exports. */
  function tableOf(value: AnyNode | null, local: string | null, at: SourceSpan): HandlerTable | null {
    const object = objectOf(value, bindings);
    if (object === null) {
      const callable = callableOf(value, bindings);
      if (callable === 'unknown')
        found.unresolved.push({ ...spanOf(at), reason: 'the handler table is computed at run time' });
      return null;
    }
    const table = readTable(object);
    if (local !== null) addLater(local, table);
    return table;
  }

  function readTable(object: ObjectExpression): HandlerTable {
    const table: HandlerTable = { ...spanOf(object), members: new Map() };
    for (const member of object.properties) {
      if (member.type === 'SpreadElement') {
        found.unresolved.push({
          ...spanOf(member),
          reason: 'the spread adds names that this file does not list',
        });
        continue;
      }
      const name = keyOf(member.key, member.computed);
      if (name === null)
        found.unresolved.push({ ...spanOf(member.key), reason: 'this name is computed at run time' });
      else
        table.members.set(name, {
          ...spanOf(member.key),
          callable: callableOf(member.value as AnyNode, bindings),
        });
    }
    return table;
  }

  /** Adds members that other statements of the file put into the table. */
  function addLater(local: string, table: HandlerTable): void {
    for (const use of nameUses(program, local)) addUse(use, table.members);
  }

  function addUse(use: NameUse, members: Map<string, ModuleExport>): void {
    if (use.kind === 'set') {
      members.set(use.name, { ...spanOf(use.node), callable: callableOf(use.value, bindings) });
    } else if (use.kind === 'other') {
      found.unresolved.push({ ...spanOf(use.node), reason: 'this code may add exports' });
    }
  }

  function readCommonJs(): void {
    for (const use of nameUses(program, 'exports')) addUse(use, found.named);
    for (const use of nameUses(program, 'module')) {
      if (use.kind !== 'set' || use.name !== 'exports') {
        found.unresolved.push({ ...spanOf(use.node), reason: 'this code may add exports' });
        continue;
      }
      const local = use.value.type === 'Identifier' ? use.value.name : null;
      const table = tableOf(local === null ? use.value : (bindings.get(local) ?? null), local, use.node);
      if (table !== null) found.defaultTable = table;
    }
    const nested = handlersIn(program);
    if (nested !== null)
      addNamed('handlers', nested, nested, nested.type === 'Identifier' ? nested.name : null);
  }
}

/** `exports.handlers = X`, or the member `handlers` of `module.exports = { … }`. */
function handlersIn(program: Program): AnyNode | null {
  for (const use of nameUses(program, 'exports')) {
    if (use.kind === 'set' && use.name === 'handlers') return use.value;
  }
  for (const use of nameUses(program, 'module')) {
    if (use.kind !== 'set' || use.value.type !== 'ObjectExpression') continue;
    for (const it of use.value.properties) {
      if (it.type === 'Property' && keyOf(it.key, it.computed) === 'handlers') return it.value as AnyNode;
    }
  }
  return null;
}

/** The value of each top-level name. */
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

function declared(node: AnyNode): [string, SourceSpan][] {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    return node.id ? [[node.id.name, node.id]] : [];
  }
  if (node.type !== 'VariableDeclaration') return [];
  const names: [string, SourceSpan][] = [];
  const pending: AnyNode[] = node.declarations.map((it) => it.id);
  // The list grows while it is read, because patterns can be nested.
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

function spanOf(node: SourceSpan): SourceSpan {
  return { start: node.start, end: node.end };
}
