import type { FileEntry } from '../metadata/metadata-document.js';

/**
 * Reads the files of a registry, from wherever they are. Nothing that it returns is trusted: callers check lengths,
 * hashes and signatures. Paths are relative, with forward slashes, and are built by this program only.
 */
export interface RegistryTransport {
  /** For messages, such as a host or a folder. */
  readonly place: string;
  /** The whole file; undefined if there is none. Throws as soon as it is larger than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>;
  /** Copies a file whose length and hash are known to a path of this machine. Throws if it is not exactly that file. */
  fetch(path: string, expected: FileEntry, target: string): Promise<void>;
}
