import type { Template } from './template.js';

/** Why a package contains a program. The host displays, grants, hashes and confines every role in the same way. */
export type ProgramRole = 'tool' | 'extension' | 'mcp-server' | 'smoke' | 'kill-switch' | 'interface';

/** `call`: started for one call and then ended. `persistent`: kept running between calls. */
export type Lifetime = 'call' | 'persistent';

/** How the host communicates with the running program. */
export type Protocol = 'argv' | 'function' | 'mcp' | 'nexo';

/** One environment variable (or header) of a program. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value: Template;
}

/** The interpreter that a process needs. Absent when the command is itself an executable. */
export interface Runtime {
  readonly language: 'python' | 'node';
  /** The version that the author asks for, such as `3.12`. Absent: any supported version. */
  readonly version?: string;
  /** True: an installation needs a version that fits. Default: the nearest version is used. */
  readonly mustFit?: boolean;
  /** Exact requirements such as `requests==2.32.3`. */
  readonly packages: readonly string[];
}

/** Where a program runs, and how it is started or reached. */
export type ProgramTarget =
  | {
      readonly kind: 'process';
      /** With a runtime: the arguments after the interpreter, such as a file of the bundle. Else: the whole argv. */
      readonly command: readonly Template[];
      readonly runtime?: Runtime;
      /** Working directory inside the bundle. The empty string is the bundle's root. */
      readonly directory: string;
      /** True: relative paths are resolved in the workspace, if one is mounted, instead of the bundle. */
      readonly inWorkspace?: boolean;
      /** True: it starts in the package's own writable folder. */
      readonly inData?: boolean;
      readonly environment: readonly EnvironmentVariable[];
    }
  | {
      readonly kind: 'container';
      readonly image: string;
      /** Replaces the entrypoint of the image; empty keeps it. */
      readonly command: readonly Template[];
      /** The command has only the arguments of the image's own entrypoint. Default: false. */
      readonly keepsEntrypoint?: boolean;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers: readonly EnvironmentVariable[];
      /** Name of the slot that authenticates each request, with the scheme of the slot's delivery. */
      readonly credential?: string;
    }
  | { readonly kind: 'nats'; readonly subjectPrefix: string };

/** A program at a URL. */
export type UrlTarget = Extract<ProgramTarget, { kind: 'url' }>;

/** Whether calls are answered by a process that this host did not start and cannot confine. */
export function runsElsewhere({ target, role }: Program): boolean {
  const reached = target.kind === 'url' || target.kind === 'nats';
  return reached && (role === 'tool' || role === 'extension' || role === 'mcp-server');
}

/** Whether the host starts the program, as a process or container on this machine. */
export function runsHere({ target }: Program): boolean {
  return target.kind === 'process' || target.kind === 'container';
}

/** One process, container, URL or NATS service of a package. */
export interface Program {
  readonly name: string;
  readonly role: ProgramRole;
  readonly lifetime: Lifetime;
  readonly protocol: Protocol;
  readonly target: ProgramTarget;
  /** True: the host adds the caller's identity to the arguments and overwrites what the caller put there. */
  readonly callerContext: boolean;
  /** True: its home folder is the package's own writable folder, which lasts. Absent: a folder that does not last. */
  readonly homeInData?: boolean;
}
