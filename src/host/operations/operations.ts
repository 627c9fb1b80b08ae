import type { RemoteHost, RemoteSession } from '../host.js';
import { hostOperations } from './host-operations.js';
import type { NamedOperation, OperationNode } from './operation.js';
import { inputShape } from './operation-input.js';
import { sessionOperations } from './session-operations.js';

function flatten(
  tree: object,
  scope: NamedOperation['scope'],
  path: readonly string[] = [],
): NamedOperation[] {
  return Object.entries(tree).flatMap(([key, node]) => {
    const below = [...path, key];
    if (!('params' in node && 'result' in node)) return flatten(node, scope, below);
    const row = node as OperationNode;
    const name = [...(scope === 'session' ? ['session'] : []), ...below].join('.');
    return [{ ...row, name, scope, path: below, input: inputShape(row.params) }];
  });
}

/** Every operation of hosts and sessions. The socket, HTTP and the clients are made from this table. */
export const operations: readonly NamedOperation[] = [
  ...flatten(hostOperations, 'host'),
  ...flatten(sessionOperations, 'session'),
];

const byName = new Map(operations.map((it) => [it.name, it]));

export function findOperation(name: string): NamedOperation | undefined {
  return byName.get(name);
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** The method of an operation, bound to its object. */
export function methodOf(target: RemoteHost | RemoteSession, { path }: NamedOperation): Method {
  let owner: unknown = target;
  for (const key of path.slice(0, -1)) owner = (owner as Record<string, unknown>)[key];
  const method = (owner as Record<string, Method>)[path.at(-1) as string] as Method;
  return (...args) => method.apply(owner, [...args]);
}

/** A copy of `target` in which the method of each operation is replaced. */
export function withMethods<T extends object>(
  target: T,
  scope: NamedOperation['scope'],
  replace: (operation: NamedOperation) => Method,
): T {
  const copy = { ...target } as Record<string, unknown>;
  for (const operation of operations.filter((it) => it.scope === scope)) {
    let owner = copy;
    for (const key of operation.path.slice(0, -1)) {
      const next = { ...(owner[key] as object | undefined) };
      owner[key] = next;
      owner = next as Record<string, unknown>;
    }
    owner[operation.path.at(-1) as string] = replace(operation);
  }
  return copy as T;
}
