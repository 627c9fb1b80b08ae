import type { Runtime } from '../model/program.js';

/** The runtime for a bare command name such as `python3`. The host chooses the interpreter, not the PATH. */
export function interpreterOf(program: string): Runtime | undefined {
  if (program === 'node' || program === 'nodejs') return { language: 'node', packages: [] };
  const python = /^python(?:3(\.\d{1,2})?)?$/.exec(program);
  if (python === null) return undefined;
  const version = python[1] === undefined ? {} : { version: `3${python[1]}` };
  return { language: 'python', ...version, packages: [] };
}
