/** What a command line that starts an MCP server would fetch and run. */
export interface Launch {
  readonly program:
    | {
        readonly kind: 'npm';
        /** Such as `@example/notes@^1`. */
        readonly package: string;
        /** Absent: the only command of the package, or the one with its name. */
        readonly command?: string;
      }
    | { readonly kind: 'pypi'; readonly package: string; readonly command: string }
    | { readonly kind: 'image'; readonly image: string }
    | { readonly kind: 'program'; readonly command: string };
  readonly args: readonly string[];
  /** Variables with the values that the command line gives them. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that are passed on by name. */
  readonly passed: readonly string[];
  /** Folders that a container would see. */
  readonly mounts: readonly LaunchMount[];
  /** Options that have no effect here; a sentence each. */
  readonly notes: readonly string[];
}

export interface LaunchMount {
  readonly from: string;
  readonly to: string;
  readonly writable: boolean;
}

/** Why a command line cannot be used. */
export interface LaunchProblem {
  readonly problem: string;
  readonly hint: string;
}

export function launchProblem(problem: string, hint: string): LaunchProblem {
  return { problem, hint };
}
