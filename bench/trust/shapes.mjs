// Shapes of keys: what of the literal cases of gitleaks is found.
import { corpus } from './corpus.mjs';
import { look } from './look.mjs';

export function shapeCases({ patterns }) {
  const all = corpus('gitleaks-literal-cases');
  if (all === undefined) return undefined;
  const of = (kind) => all.filter((it) => it.kind === kind);
  const hits = (it) => patterns.findPatterns(it.text, look);
  const missed = of('tps').filter((it) => hits(it).length === 0);
  const taken = of('fps').filter((it) => hits(it).length > 0);
  return {
    positives: of('tps').length,
    found: of('tps').length - missed.length,
    negatives: of('fps').length,
    taken: taken.length,
    // By the rule of the corpus and ours, never the text.
    missedRules: missed.map((it) => it.rule),
    takenRules: taken.map(
      (it) => `${it.rule} (as ${[...new Set(hits(it).map((hit) => hit.rule))].join(', ')})`,
    ),
  };
}
