import type { Candidate, Claim, FormatParser } from '../model/format.js';
import type { Severity } from '../model/severity.js';
import type { ManifestEditor } from './manifest-editor.js';
import type { RepositoryImporter } from './repository-import.js';
import type { ServerWriter } from './server-writer.js';
import type { Starter } from './starter.js';

/**
 * The file names of a format's manifests. An entry is a whole name, or `*` and an ending, such as `*.json`. The search
 * opens no other files.
 */
export interface ManifestFileNames {
  /** Only this format uses these names: such a file is its manifest, even if it cannot be read. */
  readonly certain: readonly string[];
  /** Others use these names too. If no format claims such a file and a person asks for it, it is taken for this format. */
  readonly likely: readonly string[];
  /** Such a file is a manifest only if the format claims it. */
  readonly possible: readonly string[];
}

/**
 * Everything about one format except the code that parses it, which is loaded on demand: finding manifests must not
 * load all parsers.
 */
export interface FormatDescriptor {
  /** The name on the command line and in reports: lower-case letters. */
  readonly name: string;
  readonly fileNames: ManifestFileNames;
  /** What belongs to a package whose manifest the format does not claim, because it is unreadable or unusual. */
  readonly usualScope: Claim['scope'];
  /** Whether manifests of this format in subfolders of a package belong to that package. */
  readonly ownsSubfolders: boolean;
  /** The diagnostics that only this format has. Each starts with the format's name and a dot. */
  readonly codes: Readonly<Record<string, Severity>>;
  /** Fast and without effects. Null: the file is not a manifest of this format. */
  claim(candidate: Candidate): Claim | null;
  load(): Promise<FormatParser>;
  loadStarter(): Promise<Starter>;
  /** For forms that change a manifest. Absent: manifests are changed only as text. */
  loadEditor?(): Promise<ManifestEditor>;
  /** For plain MCP servers without a manifest: the file name, and what writes it. At most one format has it. */
  readonly serverManifest?: {
    readonly fileName: string;
    loadWriter(): Promise<ServerWriter>;
  };
  /** For repositories without a manifest. Absent if the format has nothing to make from them. */
  loadImporter?(): Promise<RepositoryImporter>;
}
