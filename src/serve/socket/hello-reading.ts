import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import type { Hello } from './hello.js';
import { socketOperator } from './host-protocol.js';

function isAcceptance(value: Json | undefined): boolean {
  return (
    isObject(value) &&
    Array.isArray(value.in) &&
    value.in.every((it) => typeof it === 'string') &&
    (typeof value.by === 'string' || isObject(value.by))
  );
}

/** Checks the first line of a connection. Throws if it is not a hello of this version. */
export function readHello(value: Json | undefined, version: string): Hello {
  const texts = (it: Json | undefined): it is readonly string[] =>
    Array.isArray(it) && it.every((text) => typeof text === 'string');
  if (!isObject(value) || value.toolwharf !== 'hello' || typeof value.version !== 'string')
    throw new HostError('usage', 'the first line is not a valid hello');
  // Checked first, because the hello of another version may be different.
  if (value.version !== version) {
    throw new HostError(
      'host_version',
      `the running host is version ${version}, this program is ${value.version}`,
      {
        hint: `stop the host (process ${process.pid}); the next command starts the new version`,
      },
    );
  }
  const isValid =
    (value.protocol === 'mcp' || value.protocol === 'host') &&
    typeof value.principal === 'string' &&
    ['undefined', 'string'].includes(typeof value.clientKey) &&
    ['undefined', 'string'].includes(typeof value.client) &&
    [undefined, 'all', 'search', 'auto'].includes(value.expose as string | undefined) &&
    (['undefined', 'string'].includes(typeof value.set) ||
      (value.set === null && value.protocol === 'host')) &&
    (['undefined', 'string'].includes(typeof value.sessionName) ||
      (value.sessionName === null && value.protocol === 'host')) &&
    typeof value.root === 'string' &&
    texts(value.directories) &&
    ['look', 'review', 'use'].includes(value.intent as string) &&
    (value.accept === null || isAcceptance(value.accept)) &&
    // A repository that somebody cloned can make a client start this, so it must not accept anything.
    (value.protocol === 'host' || (value.accept === null && value.intent === 'use')) &&
    texts(value.allow) &&
    isObject(value.environment) &&
    texts(Object.values(value.environment)) &&
    isObject(value.policy);
  if (!isValid) throw new HostError('usage', 'the first line is not a valid hello');
  const hello = value as unknown as Hello;
  const { accept } = hello;
  return accept === null ? hello : { ...hello, accept: { in: accept.in, by: socketOperator(accept.by) } };
}
