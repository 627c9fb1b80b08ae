import type { PackageReview } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { wrap } from './width.js';

/** What a person reviews: everything that is new, then what was removed, then the digest to accept. */
export function printReview(review: PackageReview, style: Style, columns: number): string {
  const name = visibleLine(review.package);
  if (review.widened.length === 0 && review.reworded.length === 0) {
    const removed = list(review.narrowed, '-', columns);
    const lines = [`nothing to review: ${name} asks for nothing that was not accepted`, ...removed];
    return `${lines.join('\n')}\n`;
  }
  const section = (title: string, sentences: readonly string[], mark: string) =>
    sentences.length === 0
      ? []
      : [style.bold(title), ...list(sentences, mark, columns).map((it) => style.warning(it))];
  const isNew = review.from === undefined;
  const lines = [
    style.bold(isNew ? `${name} is new here.` : `${name} changed since it was accepted.`),
    style.dim(visibleLine(`  ${review.path}`)),
    ...section(isNew ? 'It asks for:' : 'New:', review.widened, '+'),
    ...section('Changed text, as you and models read it:', review.reworded, '~'),
    ...(review.narrowed.length === 0 ? [] : [style.bold('Removed:')]),
    ...list(review.narrowed, '-', columns).map((it) => style.dim(it)),
    ...(isNew ? [] : [style.dim(visibleLine(`from  ${review.from}`))]),
    style.dim(visibleLine(`to    ${review.to}`)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Wrapped but never cut, because a person must see everything. */
function list(sentences: readonly string[], mark: string, columns: number): string[] {
  return sentences.flatMap((it) =>
    wrap(visibleLine(it), Math.max(20, columns - 4)).map(
      (line, index) => `  ${index === 0 ? mark : ' '} ${line}`,
    ),
  );
}
