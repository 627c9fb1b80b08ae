import { HostError } from '../../model/host-error.js';
import type { SandboxProfile } from '../sandbox-command.js';
import type { ConnectUpstream, Upstream, UpstreamSettings } from '../upstream/upstream.js';
import { HttpTransport } from './http.js';
import { McpUpstream } from './mcp-upstream.js';
import { clientContextOf } from './server-requests.js';
import { startStdio } from './stdio.js';

/** Connects to an MCP server: starts its process or container, or uses its URL. */
export const connectMcp: ConnectUpstream = async (settings: UpstreamSettings): Promise<Upstream> => {
  const { program, processServices } = settings;
  switch (program.target.kind) {
    case 'process':
    case 'container': {
      const profile: SandboxProfile = await settings.openProfile();
      const isContainer = program.target.kind === 'container';
      const context = clientContextOf(profile, (root) =>
        isContainer ? root.target : processServices.sandbox.inside(root),
      );
      return McpUpstream.open(settings, context, (receiver) => startStdio(settings, profile, receiver));
    }
    case 'url': {
      const { target } = program;
      const { workspace: path } = settings;
      return McpUpstream.open(
        settings,
        { roots: [], workspace: path === undefined ? null : { outside: path, inside: path } },
        async (receiver) => new HttpTransport(settings, target, receiver),
      );
    }
    default:
      throw new HostError(
        'not_supported',
        `${settings.package.id}/${program.name} is an MCP server with an unsupported transport`,
      );
  }
};
