import { geminiCli } from '../clients/gemini-cli.js';
import { hasTools, safeFileName } from './agent.js';
import { neutralizedWarning } from './claude.js';
import { jsonText } from './client-config.js';
import { recipe } from './recipe.js';
import type { Target } from './target.js';
import { neutralize, oneLine, withFinalNewline } from './text.js';

/** An extension: one folder with tools and instructions. The instructions include the skills. */
export const toGemini: Target = (agent, start) => {
  const { id, version } = agent.package;
  const name = safeFileName(id);
  const skills = agent.skills.map((it) => `## ${oneLine(it.title)}\n\n${it.text.trimEnd()}\n`).join('\n');
  const text = [recipe(agent).trimEnd(), ...(skills === '' ? [] : [`# Skills\n\n${skills}`])].join('\n\n');
  const safe = neutralize(text, 'gemini');
  const servers = hasTools(agent)
    ? { mcpServers: { [name]: geminiCli.entry({ kind: 'stdio', ...start }, name) } }
    : {};
  return {
    files: [
      {
        path: 'gemini-extension.json',
        text: jsonText({ name, version, contextFileName: 'GEMINI.md', ...servers }),
      },
      { path: 'GEMINI.md', text: withFinalNewline(safe.text) },
    ],
    steps: ['link the folder: gemini extensions link FOLDER', 'restart Gemini CLI'],
    warnings: neutralizedWarning(safe.count),
  };
};
