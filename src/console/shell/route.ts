import { signal } from '@preact/signals';
import { showsFrame } from '../../model/console-path.js';

/** The path below /console/, as decoded parts: `packages`, `weather`. */
export const route = signal<readonly string[]>(partsOf(location.pathname));

export function pathTo(...parts: readonly string[]): string {
  return `/console/${parts.map(encodeURIComponent).join('/')}`;
}

export function navigate(...parts: readonly string[]): void {
  const path = pathTo(...parts);
  if (path === location.pathname) return;
  // The policy of a document cannot change, and only one page may have a frame.
  if (showsFrame(path) !== showsFrame(location.pathname)) {
    location.assign(path);
    return;
  }
  history.pushState(null, '', path);
  route.value = partsOf(path);
  scrollTo(0, 0);
}

addEventListener('popstate', () => {
  route.value = partsOf(location.pathname);
});

function partsOf(path: string): readonly string[] {
  return path
    .replace(/^\/console\/?/, '')
    .split('/')
    .filter((it) => it !== '')
    .map((it) => {
      try {
        return decodeURIComponent(it);
      } catch {
        return it;
      }
    });
}
