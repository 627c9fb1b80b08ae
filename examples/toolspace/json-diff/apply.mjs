import { equal, isContainer, stepsOf } from './pointer.mjs';

export class PatchError extends Error {
  constructor(message, operation) {
    super(message);
    this.operation = operation;
  }
}

/** The document after all operations; a single one that fails undoes the rest by throwing. */
export function apply(document, patch) {
  const holder = { root: structuredClone(document) };
  for (const [number, operation] of patch.entries()) {
    const stop = (reason) => {
      throw new PatchError(`operation ${number} (${operation.op} ${operation.path}): ${reason}`, number);
    };
    run(holder, operation, stop);
  }
  return holder.root;
}

function run(holder, { op, path, from, value }, stop) {
  switch (op) {
    case 'add':
      return add(holder, path, structuredClone(value), stop);
    case 'remove':
      return void remove(holder, path, stop);
    case 'replace':
      read(holder, path, stop);
      return set(holder, path, structuredClone(value), stop);
    case 'move':
      if (path.startsWith(`${from}/`)) stop('a value cannot move into itself');
      return add(holder, path, remove(holder, from, stop), stop);
    case 'copy':
      return add(holder, path, structuredClone(read(holder, from, stop)), stop);
    case 'test':
      if (!equal(read(holder, path, stop), value)) stop('the value there is another');
      return undefined;
    default:
      return stop('there is no such operation');
  }
}

/** The object or list that holds a place, and the last step to it. */
function locate(holder, pointer, stop) {
  const steps = stepsOf(pointer);
  if (steps === undefined) stop(`${JSON.stringify(pointer)} is no JSON Pointer`);
  let parent = holder;
  let key = 'root';
  for (const step of steps) {
    const next = has(parent, key) ? parent[key] : undefined;
    if (!isContainer(next)) stop('there is nothing at that place');
    parent = next;
    key = step;
  }
  if (key === '__proto__') stop('that name is not allowed');
  return { parent, key };
}

function has(parent, key) {
  return Array.isArray(parent)
    ? /^(0|[1-9]\d*)$/.test(key) && Number(key) < parent.length
    : Object.hasOwn(parent, key);
}

function read(holder, pointer, stop) {
  const { parent, key } = locate(holder, pointer, stop);
  return has(parent, key) ? parent[key] : stop('there is nothing at that place');
}

function set(holder, pointer, value, stop) {
  const { parent, key } = locate(holder, pointer, stop);
  parent[key] = value;
}

function add(holder, pointer, value, stop) {
  const { parent, key } = locate(holder, pointer, stop);
  if (!Array.isArray(parent)) parent[key] = value;
  else if (key === '-') parent.push(value);
  else if (/^(0|[1-9]\d*)$/.test(key) && Number(key) <= parent.length) parent.splice(Number(key), 0, value);
  else stop('the list has no such place');
}

function remove(holder, pointer, stop) {
  const value = read(holder, pointer, stop);
  const { parent, key } = locate(holder, pointer, stop);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return value;
}
