import { stem } from './stem.js';

/** What a tool does with things, as far as its name says so. */
export const actions = ['read', 'create', 'change', 'delete', 'send', 'stop', 'start'] as const;
export type ToolAction = (typeof actions)[number];

/** Words for each action. */
const actionWords: Readonly<Record<ToolAction, string>> = {
  read: 'get list show read find search fetch view lookup browse query retrieve describe download check see display',
  create: 'create add new make insert append generate open',
  change: 'update change edit modify set rename move adjust patch',
  delete: 'delete remove erase destroy drop discard purge terminate uninstall prune',
  send: 'send post reply forward publish submit',
  stop: 'stop cancel pause abort disable mute deactivate decline undo revert rollback',
  start: 'start run launch trigger execute enable resume restart invoke deploy install',
};

const actionOfStem = new Map(
  actions.flatMap((action) => actionWords[action].split(' ').map((word) => [stem(word), action] as const)),
);

/** The action of the first stem that has one. */
export function actionOf(stems: readonly string[]): ToolAction | undefined {
  for (const it of stems) {
    const found = actionOfStem.get(it);
    if (found !== undefined) return found;
  }
  return undefined;
}
