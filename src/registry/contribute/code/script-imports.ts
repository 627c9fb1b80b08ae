import type { AnyNode, Program } from 'acorn';

/** By local name: the module, or the member of a module, that it stands for. `node:` is left out. */
export function importedNames(program: Program): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      const module = moduleName(node.source.value);
      for (const it of node.specifiers) {
        const member = it.type === 'ImportSpecifier' ? memberName(it.imported as AnyNode) : undefined;
        names.set(
          it.local.name,
          member === undefined || member === 'default' ? module : `${module}.${member}`,
        );
      }
    } else if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations)
        if (init) addDeclared(names, id as AnyNode, init as AnyNode);
    }
  }
  return names;
}

/** `const x = require('m')`, `const { a: b } = require('m')`, and the same with `await import('m')`. */
function addDeclared(names: Map<string, string>, id: AnyNode, init: AnyNode): void {
  const module = requiredModule(init);
  if (module === undefined) return;
  if (id.type === 'Identifier') names.set(id.name, module);
  if (id.type !== 'ObjectPattern') return;
  for (const it of id.properties) {
    if (it.type !== 'Property' || it.value.type !== 'Identifier') continue;
    const member = memberName(it.key as AnyNode);
    if (member !== undefined) names.set(it.value.name, `${module}.${member}`);
  }
}

function requiredModule(node: AnyNode): string | undefined {
  if (node.type === 'AwaitExpression') return requiredModule(node.argument as AnyNode);
  if (node.type === 'ImportExpression')
    return node.source.type === 'Literal' ? moduleName(node.source.value) : undefined;
  if (node.type === 'MemberExpression') {
    const module = requiredModule(node.object as AnyNode);
    const member = memberName(node.property as AnyNode);
    return module === undefined || member === undefined ? undefined : `${module}.${member}`;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require')
    return undefined;
  const [first] = node.arguments;
  return first?.type === 'Literal' ? moduleName(first.value) : undefined;
}

function moduleName(value: unknown): string {
  return String(value).replace(/^node:/, '');
}

function memberName(node: AnyNode): string | undefined {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : undefined;
}
