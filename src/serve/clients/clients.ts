import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import type { Client, ClientName } from './client.js';
import { cline } from './cline.js';
import { codex } from './codex.js';
import { continueDev } from './continue.js';
import { cursor } from './cursor.js';
import { geminiCli } from './gemini-cli.js';
import { goose } from './goose.js';
import { lmStudio } from './lm-studio.js';
import { opencode } from './opencode.js';
import { vscode } from './vscode.js';
import { windsurf } from './windsurf.js';
import { zed } from './zed.js';

/** All clients with a configuration file. */
export const clients: Readonly<Record<ClientName, Client>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  cursor,
  vscode,
  'gemini-cli': geminiCli,
  windsurf,
  codex,
  zed,
  cline,
  opencode,
  goose,
  continue: continueDev,
  'lm-studio': lmStudio,
};
