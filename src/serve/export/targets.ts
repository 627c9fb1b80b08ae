import { toChatgpt } from './chatgpt.js';
import { toClaudeCode, toClaudeDesktop } from './claude.js';
import { toCursor, toVscode, toWindsurf } from './editor.js';
import { toGemini } from './gemini.js';
import { toCli } from './shell.js';
import type { Target, TargetName } from './target.js';
import { toWeb } from './web.js';

/** All clients that an agent can be exported for. */
export const targets: Readonly<Record<TargetName, Target>> = {
  'claude-desktop': toClaudeDesktop,
  'claude-code': toClaudeCode,
  chatgpt: toChatgpt,
  cursor: toCursor,
  vscode: toVscode,
  'gemini-cli': toGemini,
  windsurf: toWindsurf,
  cli: toCli,
  web: toWeb,
};
