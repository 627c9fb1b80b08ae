import { describe, expect, test } from 'vitest';
import type { Package } from '../../model/package.js';
import type { Program, ProgramRole, ProgramTarget } from '../../model/program.js';
import type { ProbeResult } from '../../sandbox/sandbox.js';
import { type SandboxProbes, sandboxLevel } from './sandbox-level.js';

const probe = (level: ProbeResult['level']) => ({ level, reasons: [] }) as unknown as ProbeResult;
const enforced: SandboxProbes = {
  sandbox: probe('enforced'),
  confines: true,
  containers: probe('enforced'),
};

const process: ProgramTarget = { kind: 'process', command: [], directory: '', environment: [] };
const container: ProgramTarget = { kind: 'container', image: 'x@sha256:0', command: [] };
const url: ProgramTarget = { kind: 'url', url: 'https://mcp.example/', headers: [] };
const nats: ProgramTarget = { kind: 'nats', subjectPrefix: 'plugin' };

const packageOf = (...programs: (ProgramTarget | [ProgramTarget, ProgramRole])[]) =>
  ({
    programs: programs.map((it): Program => {
      const [target, role] = Array.isArray(it) ? it : [it, 'mcp-server' as const];
      return { name: 'x', role, lifetime: 'persistent', protocol: 'mcp', target, callerContext: false };
    }),
  }) as unknown as Package;

describe('the sandbox level of a package', () => {
  test.each([
    ['one process', packageOf(process), 'enforced'],
    ['HTTP requests only', packageOf(), 'enforced'],
    ['a server at a URL', packageOf(url), 'none'],
    ['an extension over NATS', packageOf(nats), 'none'],
    ['a process and a server at a URL', packageOf(process, url), 'none'],
    ['a process whose smoke test is a request', packageOf(process, [url, 'smoke']), 'enforced'],
  ])('of a package with %s is none if a program runs elsewhere, else enforced', (_name, pkg, level) => {
    expect(sandboxLevel(pkg, enforced)).toBe(level);
  });

  test('is none for a broken manifest', () => {
    expect(sandboxLevel(undefined, enforced)).toBe('none');
  });

  test('is the weakest level of its programs', () => {
    const degraded = { ...enforced, containers: probe('degraded') };
    expect(sandboxLevel(packageOf(container), degraded)).toBe('degraded');
    expect(sandboxLevel(packageOf(process, container), degraded)).toBe('degraded');
    expect(sandboxLevel(packageOf(process), degraded)).toBe('enforced');
    expect(sandboxLevel(packageOf(process, container), { ...enforced, confines: false })).toBe(
      'declared-only',
    );
  });

  test('is none if the engine or sandbox is untested or unavailable', () => {
    expect(sandboxLevel(packageOf(container), { ...enforced, containers: undefined })).toBe('none');
    expect(sandboxLevel(packageOf(container), { ...enforced, containers: probe('unavailable') })).toBe(
      'none',
    );
    expect(sandboxLevel(packageOf(process), { ...enforced, sandbox: probe('unavailable') })).toBe('none');
  });
});
