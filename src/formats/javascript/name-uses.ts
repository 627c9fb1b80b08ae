import type { AnyNode, Program } from 'acorn';
import type { SourceSpan } from './script.js';

/** One use of a name in a file. */
export type NameUse =
  /** `name.member = value` as a statement at the top level. */
  | { readonly kind: 'set'; readonly name: string; readonly value: AnyNode; readonly node: SourceSpan }
  /** Any other use that might change the value. */
  | { readonly kind: 'other'; readonly node: SourceSpan };

/** All uses of a name except its declaration, its export and reads of its members. */
export function nameUses(program: Program, name: string): NameUse[] {
  const found: NameUse[] = [];
  const handled = new Set<AnyNode>();
  for (const statement of program.body) {
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression')
      continue;
    const { left, right, operator } = statement.expression;
    if (operator !== '=' || left.type !== 'MemberExpression') continue;
    const member = memberName(left);
    const holder = left.object;
    if (member === null) continue;
    if (holder.type === 'Identifier' && holder.name === name) {
      handled.add(holder);
      found.push({ kind: 'set', name: member, value: right, node: left });
    } else if (name === 'exports' && isModuleExports(holder)) {
      handled.add(holder.object);
      found.push({ kind: 'set', name: member, value: right, node: left });
    } else if (name === 'module' && isModuleExports(holder)) {
      handled.add(holder.object);
    }
  }
  visit(program, (node) => {
    if (node.type === 'Identifier' && node.name === name && !handled.has(node)) {
      found.push({ kind: 'other', node });
    }
  });
  return found;
}

function isModuleExports(node: AnyNode): node is AnyNode & { object: AnyNode } {
  return (
    node.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.object.name === 'module' &&
    memberName(node) === 'exports'
  );
}

function memberName(node: AnyNode): string | null {
  if (node.type !== 'MemberExpression') return null;
  if (node.property.type === 'Literal') return String(node.property.value);
  return !node.computed && node.property.type === 'Identifier' ? node.property.name : null;
}

/** Visits all nodes in which a name is a value. Uses a list instead of recursion: chains can be as long as the file. */
function visit(program: Program, see: (node: AnyNode) => void): void {
  const pending: AnyNode[] = [program];
  const written = new Set<AnyNode>();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    see(node);
    for (const target of targets(node)) written.add(target);
    for (const [part, value] of Object.entries(node)) {
      if (isNameOnly(node, part)) continue;
      if (node.type === 'MemberExpression' && part === 'object' && isRead(node.object, written.has(node)))
        continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) pending.push(child);
      }
    }
  }
}

/** Reading a member changes nothing, except that `module.exports` passes the exports on. */
function isRead(object: AnyNode, written: boolean): boolean {
  return object.type === 'Identifier' && object.name !== 'module' && !written;
}

/** The nodes that a node may assign to. */
function targets(node: AnyNode): AnyNode[] {
  switch (node.type) {
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      return [node.left];
    case 'UpdateExpression':
    case 'UnaryExpression':
    case 'RestElement':
      return [node.argument];
    case 'ArrayPattern':
      return node.elements.filter((it) => it !== null);
    case 'Property':
      return [node.value as AnyNode];
    default:
      return [];
  }
}

/** Whether a part of a node is the name of a member, declaration or export, and not a value. */
function isNameOnly(node: AnyNode, part: string): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return part === 'property' && !node.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return part === 'key' && !node.computed;
    case 'VariableDeclarator':
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return part === 'id';
    case 'ExportSpecifier':
      return true;
    case 'ExportDefaultDeclaration':
      return node.declaration.type === 'Identifier';
    default:
      return false;
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
