import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestModule } from 'vitest/node';

/** A test, or a whole file of tests, that could not run on this machine. */
export interface NotRun {
  /** Path from the project folder. */
  readonly file: string;
  /** Empty for a whole file. */
  readonly title: string;
  /** What the test needs and this machine lacks, such as "root". Empty: the test does not say. */
  readonly needs: string;
}

/** Tests of `test/root` are no part of a run of other users: vitest.config.ts leaves the folder out. */
export const isRoot = process.getuid?.() === 0;

/** In a run of CI as root nothing may be left out. */
export const isComplete = isRoot && process.env.CI === 'true';

/** The title of a test that cannot run everywhere, or of its group, ends with "(needs …)". */
export function needsOf(title: string): string {
  return /\(needs ([^()]+)\)/.exec(title)?.[1] ?? '';
}

/** Everything of a whole run that did not run, in the order of the files. */
export function notRun(root: string, modules: readonly TestModule[]): NotRun[] {
  const found: NotRun[] = modules.flatMap((module) => {
    // Tests of a file whose set-up failed did not run either; the failure is reported already.
    if (module.state() === 'failed') return [];
    const skipped = [...module.children.allTests()].filter((it) => it.result().state !== 'passed');
    return skipped.map((it) => ({
      file: module.relativeModuleId,
      title: it.fullName,
      needs: needsOf(it.fullName),
    }));
  });
  return isRoot ? found : [...found, ...rootFiles(root)];
}

function rootFiles(root: string): NotRun[] {
  return readdirSync(join(root, 'test/root'), { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith('.test.ts'))
    .sort()
    .map((it) => ({ file: join('test/root', it), title: '', needs: 'root' }));
}

/** The list that a person reads, one group per need and one line per group of tests. Empty if everything ran. */
export function describeNotRun(all: readonly NotRun[]): string {
  const groups = new Map<string, Map<string, number>>();
  for (const { file, title, needs } of all) {
    const heading = needs === '' ? 'Not run, and the test does not say why' : `Not run here, needs ${needs}`;
    const lines = groups.get(heading) ?? new Map<string, number>();
    // Tests of a group that is left out as a whole are one line.
    const name = needs === '' ? title : title.split(' (needs ')[0];
    const line = title === '' ? file : `${file}: ${name}`;
    groups.set(heading, lines.set(line, (lines.get(line) ?? 0) + 1));
  }
  return [...groups]
    .map(([heading, lines]) => {
      const shown = [...lines].map(([line, count]) => (count === 1 ? line : `${line} (${count} tests)`));
      return `\n${heading}:\n  ${shown.join('\n  ')}\n`;
    })
    .join('');
}
