import { describe, expect, test } from 'vitest';
import type { Package } from '../model/package.js';
import type { Program, ProgramRole, ProgramTarget } from '../model/program.js';
import type { Verdict } from '../sandbox/sandbox.js';
import { type Held, sandboxLevel } from './sandbox-level.js';

const verdict = (level: Verdict['level']) => ({ level, reasons: [] }) as unknown as Verdict;
const holds: Held = { verdict: verdict('enforced'), confines: true, contained: verdict('enforced') };

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

describe('what confines a package', () => {
  test.each([
    ['a process', packageOf(process), 'enforced'],
    ['requests alone', packageOf(), 'enforced'],
    ['a server by URL', packageOf(url), 'none'],
    ['an extension over NATS', packageOf(nats), 'none'],
    ['a process with a server by URL', packageOf(process, url), 'none'],
    ['a process whose smoke test is a request', packageOf(process, [url, 'smoke']), 'enforced'],
  ])('%s', (_name, of, level) => {
    expect(sandboxLevel(of, holds)).toBe(level);
  });

  test('a manifest that was not understood has none', () => {
    expect(sandboxLevel(undefined, holds)).toBe('none');
  });

  test('is the weakest of what confines its programs', () => {
    const degraded = { ...holds, contained: verdict('degraded') };
    expect(sandboxLevel(packageOf(container), degraded)).toBe('degraded');
    expect(sandboxLevel(packageOf(process, container), degraded)).toBe('degraded');
    expect(sandboxLevel(packageOf(process), degraded)).toBe('enforced');
    expect(sandboxLevel(packageOf(process, container), { ...holds, confines: false })).toBe('declared-only');
  });

  test('an engine that was not tried, or does not hold, is none', () => {
    expect(sandboxLevel(packageOf(container), { ...holds, contained: undefined })).toBe('none');
    expect(sandboxLevel(packageOf(container), { ...holds, contained: verdict('unavailable') })).toBe('none');
    expect(sandboxLevel(packageOf(process), { ...holds, verdict: verdict('unavailable') })).toBe('none');
  });
});
