import type { Host } from '../../host/host.js';
import type { McpEndpoint } from './mcp-endpoint.js';
import type { McpSessions } from './mcp-sessions.js';
import type { Gauge, Metrics } from './metrics.js';
import { openApi } from './openapi.js';
import type { Route } from './route.js';
import { approvalRoutes } from './routes/approvals.js';
import { mcpRoutes } from './routes/mcp.js';
import { operationRoutes } from './routes/operation.js';
import { sessionRoutes } from './routes/sessions.js';
import { settingRoutes } from './routes/settings.js';
import { switchRoutes } from './routes/switches.js';
import { toolRoutes } from './routes/tools.js';

export interface RoutesOptions {
  readonly host: Host;
  readonly endpoint: McpEndpoint;
  readonly sessions: McpSessions;
  readonly metrics: Metrics;
  readonly gauges: () => readonly Gauge[];
  readonly version: string;
}

/** Everything that is served, in the order in which it is described. */
export function routesOf(options: RoutesOptions): readonly Route[] {
  const { host, version } = options;
  const routes: readonly Route[] = [
    ...mcpRoutes(options.endpoint),
    ...toolRoutes(),
    ...approvalRoutes(host.approvals),
    ...sessionRoutes(options.sessions),
    ...settingRoutes(host),
    ...switchRoutes(host.switches),
    ...operationRoutes({ ...options, description: () => openApi(routes, version) }),
  ];
  return routes;
}
