import { HostError } from '../../model/host-error.js';
import type { SandboxProfile } from '../launch.js';
import type { ConnectUpstream, Upstream, UpstreamSettings } from '../upstream/upstream.js';
import { knowledgeOf } from './asked.js';
import { HttpTransport } from './http.js';
import { McpUpstream } from './mcp-upstream.js';
import { startStdio } from './stdio.js';

/** Reaches an MCP server: a process or container that is started here, or a URL. */
export const connectMcp: ConnectUpstream = async (setting: UpstreamSettings): Promise<Upstream> => {
  const { program, machine } = setting;
  switch (program.target.kind) {
    case 'process':
    case 'container': {
      const confinement: SandboxProfile = await setting.confined();
      const contained = program.target.kind === 'container';
      const knowledge = knowledgeOf(confinement, (root) =>
        contained ? root.target : machine.sandbox.inside(root),
      );
      return McpUpstream.open(setting, knowledge, (receiver) => startStdio(setting, confinement, receiver));
    }
    case 'url': {
      const { target } = program;
      return McpUpstream.open(
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
