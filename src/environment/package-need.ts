import { HostError } from '../model/host-error.js';
import type { Runtime } from '../model/program.js';
import type { Interpreter } from '../sandbox/interpreter.js';

/** The language packages that a program needs. */
export type PackageNeed =
  | {
      readonly language: 'python';
      /** Exact versions, such as `requests==2.32.3`. */
      readonly requirements: readonly string[];
      readonly interpreter: Interpreter;
    }
  | {
      readonly language: 'node';
      /** The bytes of a package.json. */
      readonly manifest: Uint8Array;
      /** The bytes of its package-lock.json; null: the lock is created once and stored. */
      readonly lock: Uint8Array | null;
      /** Packages whose install scripts run. Absent: none. */
      readonly scripts?: readonly string[];
      readonly interpreter: Interpreter;
    };

export interface InstalledPackages {
  /** Folder on this machine; read-only. */
  readonly folder: string;
  readonly language: Runtime['language'];
}

/** Where language packages are downloaded from. Default: the installer's own public source. */
export interface PackageSources {
  readonly pythonIndex?: string;
  /** Absolute paths of folders with wheels. Without `pythonIndex` they are the only source. */
  readonly findLinks?: readonly string[];
  readonly npmRegistry?: string;
}

/** A package.json with these dependencies, given as `left-pad@1.3.0`. */
export function npmManifest(requirements: readonly string[]): Uint8Array {
  const dependencies = requirements.map((text) => {
    const match =
      /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)@(\d+\.\d+\.\d+[0-9A-Za-z.+-]*)$/.exec(text);
    if (match === null) {
      throw new HostError(
        'invalid_manifest',
        `${JSON.stringify(text)} is not an exact version of an npm package`,
        {
          hint: 'write name@version, such as left-pad@1.3.0',
        },
      );
    }
    return [match[1], match[2]] as const;
  });
  return new TextEncoder().encode(JSON.stringify({ dependencies: Object.fromEntries(dependencies) }));
}
