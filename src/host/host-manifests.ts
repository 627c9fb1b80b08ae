import { builtInFormats } from '../formats/built-in-formats.js';
import type { ParseOptions } from '../model/format.js';
import { newToolPython } from '../sandbox/interpreter.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { HostOptions } from './options.js';
import { manifestOperations } from './packages/manifest-operations.js';
import type { Manifests } from './packages/manifests.js';
import { homeFolders } from './sandboxing/home-folders.js';

/** Operations that help to write manifests for this machine. */
export function hostManifests(
  { formats = builtInFormats }: HostOptions,
  parse: ParseOptions,
  { user }: Pick<Sandbox, 'user'>,
): Manifests {
  const python = () => newToolPython(user, homeFolders()[0] ?? '/');
  return manifestOperations({ formats, parse, python });
}
