import { missingCapabilityCode } from '../../../model/client-capability.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { tasksExtension } from '../../../model/tasks-extension.js';
import { RpcError } from '../json-rpc.js';
import type { McpServerOptions } from '../server-options.js';
import type { TaskService } from '../tasks/task-service.js';
import { detailedTask2026 } from '../tasks/task-view.js';

const methods = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Whether a request allows tasks. What earlier requests declared does not count. */
export function declaresTasks({ extensions }: JsonObject): boolean {
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}

export function tasksRequired(): RpcError {
  return new RpcError(missingCapabilityCode, `the request does not declare the extension ${tasksExtension}`, {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

/** Whether `subscriptions/listen` asks for changes of tasks. */
export function wantsTasks({ notifications }: JsonObject): boolean {
  return isObject(notifications) && notifications.taskIds !== undefined;
}

/** The methods of the extension for tasks. */
export class TaskMethods2026 {
  readonly #options: McpServerOptions;
  readonly #tasks: TaskService;

  constructor(options: McpServerOptions, tasks: TaskService) {
    this.#options = options;
    this.#tasks = tasks;
  }

  has(method: string): boolean {
    return methods.includes(method);
  }

  async answer(
    method: string,
    { taskId, inputResponses }: JsonObject,
    sessionName: string | undefined,
  ): Promise<JsonObject> {
    const task = await this.#tasks.find(taskId, 'any', sessionName);
    switch (method) {
      case 'tasks/get': {
        const view = detailedTask2026(task, this.#options.tasks.runningCall(task.id));
        return this.#tasks.shown(task, view, sessionName);
      }
      case 'tasks/update':
        this.#tasks.answer(task, inputResponses);
        return {};
      default:
        await this.#tasks.cancel(task);
        return {};
    }
  }
}
