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

export interface Exported {
  readonly files: readonly ExportFile[];
  /** What a person does with them, in order. */
  readonly steps: readonly string[];
  readonly warnings: readonly string[];
}

/** How the agent's tools are started, always through Toolwharf. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

export type Target = (agent: Agent, start: Start) => Exported;
