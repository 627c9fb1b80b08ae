#!/usr/bin/env node
// Starts the command. Its parts lie beside this file: scripts, each with what V8 made of it when it was built, so that a
// start does not compile them again. What V8 made is used only with the very bytes it was made from; where it does not fit,
// by another version of Node or for any other reason, the script is compiled as usual.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

type Require = (name: string) => unknown;
type Body = (
  exports: object,
  require: Require,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

const others = createRequire(import.meta.url);
const loaded = new Map<string, { exports: object }>();
const digestBytes = 32;

load(join(dirname(fileURLToPath(import.meta.url)), 'command.cjs'));

function load(path: string): object {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(path, module);
  const folder = dirname(path);
  const require: Require = (name) => (name.startsWith('.') ? load(join(folder, name)) : others(name));
  bodyOf(path)(module.exports, require, module, path, folder);
  return module.exports;
}

function bodyOf(path: string): Body {
  const bytes = readFileSync(path);
  const compiled = compiledFrom(path, bytes);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${bytes.toString('latin1')}\n})`,
    {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(compiled === undefined ? {} : { cachedData: compiled }),
    },
  );
  return script.runInThisContext();
}

/** V8 itself compares only the length of a script with that of the one it compiled, and looks for no damage. */
function compiledFrom(path: string, script: Buffer): Buffer | undefined {
  let file: Buffer;
  try {
    file = readFileSync(path.replace(/cjs$/, 'v8'));
  } catch {
    return undefined;
  }
  const compiled = file.subarray(digestBytes);
  const digest = createHash('sha256').update(script).update(compiled).digest();
  return digest.equals(file.subarray(0, digestBytes)) ? compiled : undefined;
}
