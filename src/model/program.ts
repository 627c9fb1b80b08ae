import type { Template } from './template.js';

/** What a program is there for. Every one of them is shown, granted, hashed and confined alike. */
export type ProgramRole = 'tool' | 'extension' | 'mcp-server' | 'smoke' | 'kill-switch' | 'interface';

/** `call`: started for one call and thrown away. `persistent`: kept between calls. */
export type Lifetime = 'call' | 'persistent';

/** What is spoken with the program once it runs. */
export type Protocol = 'argv' | 'function' | 'mcp' | 'nexo';

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: Template;
}

/** The interpreter a process needs; absent when the command itself is the executable. */
export interface Runtime {
  readonly language: 'python' | 'node';
  /** As wished for by the author, such as `3.12`; absent means any supported one. */
  readonly version?: string;
  /** Exact requirements such as `requests==2.32.3`. */
  readonly packages: readonly string[];
}

export type ProgramTarget =
  | {
      readonly kind: 'process';
      /** With a runtime: arguments after the interpreter, such as a file of the bundle. Else: the argv. */
      readonly command: readonly Template[];
      readonly runtime?: Runtime;
      /** Inside the bundle; the empty string is its root. */
      readonly directory: string;
      /** Relative paths lead into the workspace, where one is lent, instead of the bundle. */
      readonly inWorkspace?: boolean;
      readonly environment: readonly EnvironmentVariable[];
    }
  | { readonly kind: 'container'; readonly image: string; readonly command: readonly Template[] }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers: readonly EnvironmentVariable[];
      /** The slot that signs each request, by the scheme of its delivery. */
      readonly credential?: string;
    }
  | { readonly kind: 'nats'; readonly subjectPrefix: string };

/** Whether calls are answered by something that no sandbox of this host holds, on this machine or another one. */
export function runsElsewhere({ target, role }: Program): boolean {
  const remote = target.kind === 'url' || target.kind === 'nats';
  return remote && (role === 'tool' || role === 'extension' || role === 'mcp-server');
}

/** Something that runs or answers. */
export interface Program {
  readonly name: string;
  readonly role: ProgramRole;
  readonly lifetime: Lifetime;
  readonly protocol: Protocol;
  readonly target: ProgramTarget;
  /** The host adds who is calling to the arguments, overwriting what the caller put there. */
  readonly callerContext: boolean;
}
