import { claudeCode } from '../clients/claude-code.js';
import { claudeDesktop } from '../clients/claude-desktop.js';
import { type Agent, fileName, hasTools } from './agent.js';
import { configFile } from './config.js';
import { recipe, summary } from './recipe.js';
import type { ExportFile, Target } from './target.js';
import { disarm, ended, shellWord, withHeader } from './text.js';

/** Skills in folders of their own, with a header that says what they are for and nothing else. */
export function skillFiles(agent: Agent, folder: string): { files: readonly ExportFile[]; disarmed: number } {
  let disarmed = 0;
  const files = agent.skills.map(({ slug, description, text }) => {
    const safe = disarm(text, 'claude');
    disarmed += safe.count;
    return { path: `${folder}/${slug}/SKILL.md`, text: withHeader({ name: slug, description }, safe.text) };
  });
  return { files, disarmed };
}

export function disarmedNote(count: number): readonly string[] {
  return count === 0
    ? []
    : [`${count} places that the client would run or read as a file got a space, so that they stay words`];
}

export const toClaudeDesktop: Target = (agent, start) => {
  const { files, disarmed } = skillFiles(agent, 'skills');
  const config = configFile(agent, claudeDesktop, start, 'claude_desktop_config.json');
  const id = fileName(agent.package.id);
  return {
    files: [...config, { path: 'instructions.md', text: recipe(agent) }, ...files],
    steps: [
      ...(hasTools(agent)
        ? [
            `put its tools into your own configuration: toolwharf connect claude-desktop ${shellWord(agent.path)} --name ${id}`,
          ]
        : []),
      'make a project in Claude and paste instructions.md as its instructions',
      ...(files.length > 0
        ? ['upload each folder in skills, zipped, in the settings under Capabilities']
        : []),
    ],
    warnings: disarmedNote(disarmed),
  };
};

export const toClaudeCode: Target = (agent, start) => {
  const { files, disarmed } = skillFiles(agent, '.claude/skills');
  const id = fileName(agent.package.id);
  const safe = disarm(recipe(agent), 'claude');
  return {
    files: [
      ...configFile(agent, claudeCode, start, '.mcp.json'),
      {
        path: `.claude/agents/${id}.md`,
        text: ended(withHeader({ name: id, description: summary(agent) }, safe.text)),
      },
      ...files,
    ],
    steps: ['copy the files into your project', `start Claude Code there and ask it to use the ${id} agent`],
    warnings: disarmedNote(disarmed + safe.count),
  };
};
