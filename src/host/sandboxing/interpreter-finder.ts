import { findNode, findPython, type PythonCache } from '../../sandbox/interpreter.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { FindInterpreter } from '../packages/program-need.js';

/** Finds interpreters for sandboxed programs. Node is the one that the host runs on, if it fits. */
export function interpreterFinder(sandbox: Sandbox, home: string, pythons: PythonCache): FindInterpreter {
  const node = { path: process.execPath, version: process.versions.node };
  return ({ language, version }) =>
    language === 'python'
      ? findPython(version, sandbox.user, home, pythons)
      : findNode(version, sandbox.user, node);
}
