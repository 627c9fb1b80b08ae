/** What an archive contains, as its reader finds it. Names are not checked yet. */
export type ArchiveEntry =
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly executable: boolean;
      readonly size: number;
      /** Throws if the content is damaged. */
      read(): Promise<Uint8Array>;
    }
  | { readonly kind: 'folder'; readonly name: string }
  /** `target` is relative to the folder of the link, or with `fromRoot` to the root of the archive. */
  | { readonly kind: 'link'; readonly name: string; readonly target: string; readonly fromRoot: boolean }
  /** Something that is never unpacked, such as `a device`. */
  | { readonly kind: 'other'; readonly name: string; readonly what: string };
