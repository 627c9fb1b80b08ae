import type { DocumentName } from '../../documents/documents.js';
import type { LoadFormats } from '../terminal/terminal.js';
import type { Command } from './command.js';

/** One row of the table of commands. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** `reads`: starts no program of a package, mounts nothing and accepts nothing. With --dry-run every command reads. */
  readonly effect: 'reads' | 'acts';
  /** The documents that it prints with --json, besides `error@1`; or why it has none. */
  readonly json: readonly DocumentName[] | { readonly none: string };
  /** Internal command: it works, but the help does not list it. */
  readonly hidden?: boolean;
  /** `loadFormats`: for commands whose help or work depends on the formats. */
  load(loadFormats: LoadFormats): Promise<Command>;
}
