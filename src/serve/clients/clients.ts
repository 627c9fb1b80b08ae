import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import type { Client, ClientName } from './client.js';
import { cursor } from './cursor.js';
import { geminiCli } from './gemini-cli.js';
import { vscode } from './vscode.js';
import { windsurf } from './windsurf.js';

/** All clients with a configuration file. */
export const clients: Readonly<Record<ClientName, Client>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  cursor,
  vscode,
  'gemini-cli': geminiCli,
  windsurf,
};
