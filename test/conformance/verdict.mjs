// What a run of the conformance suite says beside the list of what is known to fail. Pure: the script does the rest.

/** Stands for a scenario in which nothing was put to the test. */
export const nothing = 'nothing-checked';

/** Every scenario has this one; alone it says nothing about the scenario. */
const always = 'wire-schema-valid';

/** The checks of one scenario by what became of them. A check that comes up several times passes if all of them do. */
export function sortChecks(checks) {
  const passed = new Set();
  const missed = new Set();
  for (const { id, status } of checks) {
    if (status === 'SUCCESS') passed.add(id);
    else if (status !== 'INFO') missed.add(id);
  }
  for (const id of missed) passed.delete(id);
  if (missed.size === 0 && [...passed].every((id) => id === always)) missed.add(nothing);
  return { passed: [...passed], missed: [...missed] };
}

/**
 * Both ways: what failed and is not on the list, and what is on the list and did not fail. The number of scenarios is
 * compared too, so that a suite that leaves some out does not look like one that is passed.
 */
export function compare(runs, { failures, scenarios }) {
  const expected = new Set(
    failures.flatMap((it) =>
      it.revisions.flatMap((revision) => it.checks.map((check) => `${revision} ${it.scenario} ${check}`)),
    ),
  );
  const found = new Set(
    runs.flatMap((it) => it.missed.map((check) => `${it.revision} ${it.scenario} ${check}`)),
  );
  const counts = new Map();
  for (const { revision } of runs) counts.set(revision, (counts.get(revision) ?? 0) + 1);
  return {
    unexpected: [...found].filter((it) => !expected.has(it)).sort(),
    stale: [...expected].filter((it) => !found.has(it)).sort(),
    miscounted: Object.entries(scenarios)
      .filter(([revision, count]) => counts.get(revision) !== count)
      .map(([revision, count]) => `${revision} has ${counts.get(revision) ?? 0} scenarios, not ${count}`),
  };
}

/** One line a revision. */
export function totals(runs) {
  const revisions = [...new Set(runs.map((it) => it.revision))];
  return revisions.map((revision) => {
    const mine = runs.filter((it) => it.revision === revision);
    return {
      revision,
      scenarios: mine.length,
      passed: mine.filter((it) => it.missed.length === 0).length,
      checks: mine.reduce((sum, it) => sum + it.passed.length, 0),
      missed: mine.reduce((sum, it) => sum + it.missed.length, 0),
    };
  });
}
