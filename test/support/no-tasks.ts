import type { Tasks } from '../../src/host/host.js';

const unexpected = async (): Promise<never> => {
  throw new Error('no task is expected');
};

/** For servers in tests without a host. */
export const noTasks: Tasks = {
  create: unexpected,
  get: unexpected,
  list: unexpected,
  change: unexpected,
  runningCall: () => undefined,
  startCall: () => ({ changed: () => {}, end: () => {} }),
  onChange: () => () => {},
};
