import type { ComponentChildren } from 'preact';
import { connection } from '../shell/connection.js';
import type { Live } from '../shell/live.js';
import { Problem } from './problem.js';

interface SectionProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Shown at the right of the title. */
  readonly actions?: ComponentChildren;
}

export function Section({ title, children, actions }: SectionProps) {
  return (
    <section class="section" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface LoadedProps<T> {
  readonly from: Live<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what was read; before that, that it is being read, and after a failure, why. */
export function Loaded<T>({ from, children }: LoadedProps<T>) {
  const { value, error } = from;
  if (value !== undefined)
    return (
      <>
        {/* A lost connection is said once, for the whole page. */}
        {error !== undefined && connection.value === 'live' && (
          <Problem error={error} before="This may be out of date, because it could not be read again: " />
        )}
        {children(value)}
      </>
    );
  if (error !== undefined && connection.value !== 'lost') return <Problem error={error} />;
  return <p class="dim loading">Loading…</p>;
}

/** What a list shows when there is nothing in it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children}
    </div>
  );
}
