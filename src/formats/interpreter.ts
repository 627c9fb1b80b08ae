import type { Runtime } from '../model/program.js';

/** The interpreter that a bare name stands for. It is the one that the host finds, not whatever a path holds. */
export function interpreterOf(program: string): Runtime | undefined {
  if (program === 'node' || program === 'nodejs') return { language: 'node', packages: [] };
  const python = /^python(?:3(\.\d{1,2})?)?$/.exec(program);
  if (python === null) return undefined;
  const version = python[1] === undefined ? {} : { version: `3${python[1]}` };
  return { language: 'python', ...version, packages: [] };
}
