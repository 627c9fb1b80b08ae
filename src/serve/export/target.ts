import type { Agent } from './agent.js';

export const targetNames = [
  'claude-desktop',
  'claude-code',
  'chatgpt',
  'cursor',
  'vscode',
  'gemini-cli',
  'windsurf',
  'cli',
  'web',
] as const;

export type TargetName = (typeof targetNames)[number];

export interface ExportFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface ExportResult {
  readonly files: readonly ExportFile[];
  /** Next steps for the person, in order. */
  readonly steps: readonly string[];
  readonly warnings: readonly string[];
}

/** The command that serves the agent's tools through Toolwharf. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export type Target = (agent: Agent, start: StartCommand) => ExportResult;
