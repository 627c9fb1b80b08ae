// Which sources are loaded together with a file: its static imports, and theirs.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const imports = /(?:^|\n)\s*(?:import|export)\s+(?!type\s)(?:[^;'"]*?from\s+)?'(\.[^']+)'/g;

export function staticImportsOf(...files) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path) || !existsSync(path)) return;
    found.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(imports))
      visit(join(dirname(path), name.replace(/\.js$/, '.ts')));
  };
  for (const it of files) visit(join(process.cwd(), it));
  return (id) => found.has(id);
}
