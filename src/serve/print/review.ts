import type { Review } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { wrap } from './width.js';

/** What a person judges: everything that is new, then what went away, then the digest that stands for it. */
export function printReview(review: Review, style: Style, columns: number): string {
  const name = visibleLine(review.package);
  if (review.widened.length === 0 && review.reworded.length === 0) {
    const given = list(review.narrowed, '-', columns);
    const lines = [`nothing waits: ${name} may do nothing that was not agreed to`, ...given];
    return `${lines.join('\n')}\n`;
  }
  const section = (title: string, sentences: readonly string[], mark: string) =>
    sentences.length === 0
      ? []
      : [style.bold(title), ...list(sentences, mark, columns).map((it) => style.warning(it))];
  const isNew = review.from === undefined;
  const lines = [
    style.bold(isNew ? `${name} is new here.` : `${name} changed since it was agreed to.`),
    style.dim(visibleLine(`  ${review.path}`)),
    ...section(isNew ? 'It wants:' : 'What is new:', review.widened, '+'),
    ...section('What you and models read differently now:', review.reworded, '~'),
    ...(review.narrowed.length === 0 ? [] : [style.bold('What it gave up:')]),
    ...list(review.narrowed, '-', columns).map((it) => style.dim(it)),
    ...(isNew ? [] : [style.dim(visibleLine(`from  ${review.from}`))]),
    style.dim(visibleLine(`to    ${review.to}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Never cut: what is not shown cannot be judged. */
function list(sentences: readonly string[], mark: string, columns: number): string[] {
  return sentences.flatMap((it) =>
    wrap(visibleLine(it), Math.max(20, columns - 4)).map(
      (line, index) => `  ${index === 0 ? mark : ' '} ${line}`,
    ),
  );
}
