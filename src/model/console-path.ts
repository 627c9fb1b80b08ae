// Paths of the console that the host and the page must agree about.

/** Below it, the host serves the files of packages' own pages to frames. */
export const framePath = '/package-page/';

/** Whether a path of the console shows the page of a package: only there a frame is allowed. */
export function showsFrame(path: string): boolean {
  return /^\/console\/packages\/[^/]+\/page$/.test(path);
}
