import type { Range } from '../../../model/diagnostic.js';

/** What code does that a person should look at before anybody runs it. */
export type CodeEffect = 'network' | 'process' | 'write' | 'dynamic' | 'decoded' | 'native';

/** One place of a source file. `onImport`: it runs when the file is loaded, before anybody calls the tool. */
export interface ScannedCall {
  readonly effect: CodeEffect;
  readonly onImport: boolean;
  /** As messages name it, such as `subprocess.run()`. */
  readonly what: string;
  readonly range: Range;
}

/** The calls of a source file, or why it could not be read. */
export type ScannedCode =
  | { readonly kind: 'scanned'; readonly calls: readonly ScannedCall[] }
  | { readonly kind: 'unchecked'; readonly reason: string; readonly range?: Range };
