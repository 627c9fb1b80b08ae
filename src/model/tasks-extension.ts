/** The extension of the 2026 era with which a server answers a call with a task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
