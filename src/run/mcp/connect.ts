import { HostError } from '../../model/host-error.js';
import type { Confinement } from '../launch.js';
import type { ConnectRemote, Remote, RemoteSetting } from '../remote/remote.js';
import { knowledgeOf } from './asked.js';
import { HttpTransport } from './http.js';
import { McpRemote } from './server.js';
import { startStdio } from './stdio.js';

/** Reaches an MCP server: a process or container that is started here, or a URL. */
export const connectMcp: ConnectRemote = async (setting: RemoteSetting): Promise<Remote> => {
  const { program, machine } = setting;
  switch (program.target.kind) {
    case 'process':
    case 'container': {
      const confinement: Confinement = await setting.confined();
      const contained = program.target.kind === 'container';
      const knowledge = knowledgeOf(confinement, (root) =>
        contained ? root.target : machine.sandbox.inside(root),
      );
      return McpRemote.open(setting, knowledge, (receiver) => startStdio(setting, confinement, receiver));
    }
    case 'url': {
      const { target } = program;
      return McpRemote.open(
        setting,
        { roots: [] },
        async (receiver) => new HttpTransport(setting, target, receiver),
      );
    }
    default:
      throw new HostError(
        'not_supported',
        `${setting.package.id}/${program.name} is an MCP server that is reached in a way that is not known`,
      );
  }
};
