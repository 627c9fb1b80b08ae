/** Where language packages are inside the sandbox. */
export const languageMountPoint = '/toolwharf/packages';
/** Where the folder of a package that lasts is inside the sandbox. */
export const dataMountPoint = '/toolwharf/data';

/** What to do if a program tried to write beside its own code. The text of its error only chooses this explanation. */
export function readOnlyCodeHint(text: string): string | undefined {
  if (!/EROFS|Read-only file system/i.test(text) || !text.includes(`${languageMountPoint}/`))
    return undefined;
  return `its code is read-only; if it has a setting for that path, set it to one below ${dataMountPoint}, its own folder, which lasts`;
}
