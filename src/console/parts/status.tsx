import type { ComponentChildren } from 'preact';

/** Never by color alone: the text says the same. */
export type Tone = 'good' | 'warning' | 'bad' | 'neutral' | 'info';

export function Status({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`status ${tone}`}>
      <span class="mark" aria-hidden="true" />
      {children}
    </span>
  );
}
