#!/usr/bin/env node
// Starts the `toolwharf` command. The build puts its scripts next to this file, each with the code cache of V8, so
// that a start does not compile them again. A code cache is used only with the exact script it was made from. If it
// does not fit, for example with another version of Node, the script is compiled as usual.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';

type Require = (name: string) => unknown;
/** The body of a CommonJS module as a function. */
type ModuleFunction = (
  exports: object,
  require: Require,
  module: { exports: object },
  filename: string,
  dirname: string,
) => void;

/** For modules that are not next to this file: Node's own and dependencies. */
const nodeRequire = createRequire(import.meta.url);
const loaded = new Map<string, { exports: object }>();
const digestBytes = 32;

load(join(dirname(fileURLToPath(import.meta.url)), 'command.cjs'));

function load(path: string): object {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(path, module);
  const folder = dirname(path);
  const require: Require = (name) => (name.startsWith('.') ? load(join(folder, name)) : nodeRequire(name));
  compile(path)(module.exports, require, module, path, folder);
  return module.exports;
}

function compile(path: string): ModuleFunction {
  const bytes = readFileSync(path);
  const codeCache = readCodeCache(path, bytes);
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${bytes.toString('latin1')}\n})`,
    {
      filename: path,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(codeCache === undefined ? {} : { cachedData: codeCache }),
    },
  );
  return script.runInThisContext();
}

/** Checks a digest of script and cache: V8 itself compares only the length of the script, and detects no damage. */
function readCodeCache(path: string, script: Buffer): Buffer | undefined {
  let file: Buffer;
  try {
    file = readFileSync(path.replace(/cjs$/, 'v8'));
  } catch {
    return undefined;
  }
  const codeCache = file.subarray(digestBytes);
  const digest = createHash('sha256').update(script).update(codeCache).digest();
  return digest.equals(file.subarray(0, digestBytes)) ? codeCache : undefined;
}
