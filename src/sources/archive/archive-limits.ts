/** Limits of one archive, far above what packages need. */
export interface ArchiveLimits {
  readonly entries: number;
  /** Of one file, unpacked. */
  readonly fileBytes: number;
  /** Of all files together, unpacked. */
  readonly totalBytes: number;
  /** Unpacked bytes per packed byte. Below `freeBytes` it is not checked, because small texts can be repetitive. */
  readonly ratio: number;
  readonly freeBytes: number;
  /** Levels of folders. */
  readonly depth: number;
  /** Bytes of a whole path. */
  readonly pathBytes: number;
}

export const defaultArchiveLimits: ArchiveLimits = Object.freeze({
  entries: 20_000,
  fileBytes: 64 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  ratio: 200,
  freeBytes: 8 * 1024 * 1024,
  depth: 32,
  pathBytes: 1024,
});
