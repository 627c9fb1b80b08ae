import type { ComponentType } from 'preact';

/** One page of the console: a folder in pages/ and an entry in pages/pages.ts. */
export interface ConsolePage {
  /** First part of the path, such as `inbox`. */
  readonly path: string;
  readonly title: string;
  /** After `g`, it opens the page. */
  readonly key: string;
  /** Path data of an icon of 24 × 24. */
  readonly icon: string;
  /** `rest`: the parts of the path after the first. */
  readonly view: ComponentType<{ readonly rest: readonly string[] }>;
  /** How many things there need the person; shown in the navigation. A signal is read. */
  readonly count?: () => number;
}
