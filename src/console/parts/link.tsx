import type { ComponentChildren } from 'preact';
import { navigate, pathTo } from '../shell/route.js';

interface LinkProps {
  /** Parts of the path below /console/. */
  readonly to: readonly string[];
  readonly current?: boolean;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A link to a page of the console. With a modifier key it opens a new tab, as everywhere. */
export function Link({ to, current = false, children, class: className }: LinkProps) {
  return (
    <a
      href={pathTo(...to)}
      class={className}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        navigate(...to);
      }}
    >
      {children}
    </a>
  );
}
