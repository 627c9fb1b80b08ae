import type { PackageNeed } from '../../environment/package-need.js';
import type { ImageReference } from '../../model/image-reference.js';
import type { ProcessTarget } from '../../run/sandbox-command.js';
import type { Interpreter } from '../../sandbox/interpreter.js';

/** Finds an interpreter that sandboxed processes can run; throws `runtime_missing`. */
export type FindInterpreter = (runtime: NonNullable<ProcessTarget['runtime']>) => Interpreter;

/** What one program of a package needs before it can start. */
export interface ProgramNeed {
  readonly program: string;
  readonly interpreter: Interpreter | null;
  /** Language packages to install; null if there are none. */
  readonly packages: PackageNeed | null;
  /** Set if the program is a container image, which contains everything it needs. */
  readonly image?: ImageReference;
}

export type NeedCheck =
  | { readonly kind: 'ready'; readonly need: ProgramNeed; readonly remark?: string }
  | { readonly kind: 'missing'; readonly reason: string };
