import { chmodSync, cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Temporary folders of one run of `test`: the state of its host, and the workspace that tools may change. */
export class TestFolders {
  readonly #base = mkdtempSync(join(tmpdir(), 'toolwharf-test-run-'));
  readonly state = mkdtempSync(join(this.#base, 'state-'));
  readonly workspace = mkdtempSync(join(this.#base, 'workspace-'));

  constructor() {
    // A host that runs as root confines tools as another user, who must reach both.
    if (process.getuid?.() === 0) chmodSync(this.#base, 0o711);
    share(this.workspace);
  }

  /** Empties the workspace and copies the files of a folder into it, if there is one. Links are left out. */
  reset(files: string): void {
    for (const name of readdirSync(this.workspace))
      rmSync(join(this.workspace, name), { recursive: true, force: true });
    if (statSync(files, { throwIfNoEntry: false })?.isDirectory() !== true) return;
    cpSync(files, this.workspace, {
      recursive: true,
      filter: (from) => lstatSync(from).isDirectory() || lstatSync(from).isFile(),
    });
    share(this.workspace);
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true });
  }
}

/** Lets the user of confined tools change a folder and everything in it. */
function share(folder: string): void {
  if (process.getuid?.() !== 0) return;
  chmodSync(folder, 0o777);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) share(path);
    else chmodSync(path, 0o666);
  }
}
