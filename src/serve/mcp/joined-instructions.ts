import type { PackageInstructions } from '../../host/host.js';
import { visible } from '../print/visible.js';
import { takeCharacters } from './content-parts.js';

/** Characters of all packages together: models read them at the start of every conversation. */
const maxCharacters = 32_000;

/** The instructions of servers, under the names of their packages. */
export function joinedInstructions(packages: readonly PackageInstructions[]): string {
  let left = maxCharacters;
  return packages
    .map(({ package: id, text }) => {
      const all = visible(text);
      const shown = left <= 0 ? '' : takeCharacters(all, left);
      left -= shown.length;
      const note = shown.length < all.length ? ' [truncated]' : '';
      return `\n\nInstructions of the package ${id}, written by its author:\n${shown}${note}`;
    })
    .join('');
}
