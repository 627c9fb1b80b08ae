import { geminiCli } from '../clients/gemini-cli.js';
import { fileName, hasTools } from './agent.js';
import { disarmedNote } from './claude.js';
import { jsonText } from './config.js';
import { recipe } from './recipe.js';
import type { Target } from './target.js';
import { disarm, ended, oneLine } from './text.js';

/** An extension: one folder that brings the tools and the words. Skills are part of the words it loads. */
export const toGemini: Target = (agent, start) => {
  const { id, version } = agent.package;
  const name = fileName(id);
  const skills = agent.skills.map((it) => `## ${oneLine(it.title)}\n\n${it.text.trimEnd()}\n`).join('\n');
  const words = [recipe(agent).trimEnd(), ...(skills === '' ? [] : [`# Skills\n\n${skills}`])].join('\n\n');
  const safe = disarm(words, 'gemini');
  const servers = hasTools(agent)
    ? { mcpServers: { [name]: geminiCli.entry({ kind: 'stdio', ...start }) } }
    : {};
  return {
    files: [
      {
        path: 'gemini-extension.json',
        text: jsonText({ name, version, contextFileName: 'GEMINI.md', ...servers }),
      },
      { path: 'GEMINI.md', text: ended(safe.text) },
    ],
    steps: ['link the folder: gemini extensions link FOLDER', 'start Gemini CLI again'],
    warnings: disarmedNote(safe.count),
  };
};
