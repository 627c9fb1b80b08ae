import type { LoadedPackage } from './loaded-package.js';

/** Says that the host went back from an update that never started; empty if it did not. */
export function failedUpdateRemarks({ installed }: Pick<LoadedPackage, 'installed'>): string[] {
  const failed = installed?.wentBackFrom;
  if (failed === undefined) return [];
  const day = new Date(failed.trial.at).toISOString().slice(0, 10);
  return [
    `rolled back by the host on ${day}: generation ${failed.generation} (${failed.version}) never started: ${failed.trial.reason ?? ''}`,
  ];
}

/** What the last smoke test of an installed package says; empty if it has none. */
export function smokeRemarks({ installed }: Pick<LoadedPackage, 'installed'>): string[] {
  if (installed === undefined || installed.smoke.status === 'none') return [];
  const { status, at, detail } = installed.smoke;
  const day = new Date(at).toISOString().slice(0, 10);
  switch (status) {
    case 'passed':
      return [`its smoke test passed on ${day}`];
    case 'skipped':
      return [`its smoke test was skipped on ${day}; run it: toolwharf verify ${installed.package}`];
    case 'failed':
      return [`its smoke test failed on ${day}${detail === undefined ? '' : `: ${detail}`}`];
  }
}
