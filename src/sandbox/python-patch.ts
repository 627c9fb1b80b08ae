import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Executables and libraries of Python are smaller. Bytes. */
const maxBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * The last number of a Python version, without starting it: from the name of its folder, as pyenv and uv name them, or
 * from its own program text. Undefined: it cannot be told.
 */
export function pythonPatch(path: string, prefix: string, minor: number): number | undefined {
  const named = new RegExp(`(?:^|-)3\\.${minor}\\.(\\d{1,3})(?:-|$)`).exec(basename(prefix))?.[1];
  if (named !== undefined) return Number(named);
  const library = `libpython3.${minor}.so.1.0`;
  const libraries = ['lib', 'lib64'].map((it) => join(prefix, it, library));
  for (const file of [path, ...libraries].filter((it) => existsSync(it))) {
    const found = patchInFile(file, minor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The version is in the program as a text of its own. */
function patchInFile(path: string, minor: number): number | undefined {
  const pattern = new RegExp(`\\0003\\.${minor}\\.(\\d{1,3})\\+?\\0`);
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const chunk = Buffer.alloc(chunkBytes);
    let rest = '';
    for (let at = 0; at < maxBytes; ) {
      const length = readSync(file, chunk, 0, chunkBytes, at);
      if (length === 0) return undefined;
      const text = rest + chunk.toString('latin1', 0, length);
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return Number(found);
      rest = text.slice(-32);
      at += length;
    }
  } catch {
    // A file that cannot be read says nothing.
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return undefined;
}
