import { equal, isContainer, stepsOf } from './pointer.mjs';

export class PatchError extends Error {
  constructor(message, operation) {
    super(message);
    this.operation = operation;
  }
}

/** The document after all operations. Throws if one fails; the original document never changes. */
export function apply(document, patch) {
  const holder = { root: structuredClone(document) };
  for (const [number, operation] of patch.entries()) {
    const fail = (reason) => {
      throw new PatchError(`operation ${number} (${operation.op} ${operation.path}): ${reason}`, number);
    };
    run(holder, operation, fail);
  }
  return holder.root;
}

function run(holder, { op, path, from, value }, fail) {
  switch (op) {
    case 'add':
      return add(holder, path, structuredClone(value), fail);
    case 'remove':
      return void remove(holder, path, fail);
    case 'replace':
      read(holder, path, fail);
      return set(holder, path, structuredClone(value), fail);
    case 'move':
      if (path.startsWith(`${from}/`)) fail('a value cannot move into itself');
      return add(holder, path, remove(holder, from, fail), fail);
    case 'copy':
      return add(holder, path, structuredClone(read(holder, from, fail)), fail);
    case 'test':
      if (!equal(read(holder, path, fail), value)) fail('the value is different');
      return undefined;
    default:
      return fail('unknown operation');
  }
}

/** The object or array that contains a value, and the key of the value in it. */
function locate(holder, pointer, fail) {
  const steps = stepsOf(pointer);
  if (steps === undefined) fail(`${JSON.stringify(pointer)} is not a JSON Pointer`);
  let parent = holder;
  let key = 'root';
  for (const step of steps) {
    const next = has(parent, key) ? parent[key] : undefined;
    if (!isContainer(next)) fail('no value at this path');
    parent = next;
    key = step;
  }
  if (key === '__proto__') fail('this name is not allowed');
  return { parent, key };
}

function has(parent, key) {
  return Array.isArray(parent)
    ? /^(0|[1-9]\d*)$/.test(key) && Number(key) < parent.length
    : Object.hasOwn(parent, key);
}

function read(holder, pointer, fail) {
  const { parent, key } = locate(holder, pointer, fail);
  return has(parent, key) ? parent[key] : fail('no value at this path');
}

function set(holder, pointer, value, fail) {
  const { parent, key } = locate(holder, pointer, fail);
  parent[key] = value;
}

function add(holder, pointer, value, fail) {
  const { parent, key } = locate(holder, pointer, fail);
  if (!Array.isArray(parent)) parent[key] = value;
  else if (key === '-') parent.push(value);
  else if (/^(0|[1-9]\d*)$/.test(key) && Number(key) <= parent.length) parent.splice(Number(key), 0, value);
  else fail('the index is out of range');
}

function remove(holder, pointer, fail) {
  const value = read(holder, pointer, fail);
  const { parent, key } = locate(holder, pointer, fail);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return value;
}
