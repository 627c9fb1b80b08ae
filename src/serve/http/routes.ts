import type { Host } from '../../host/host.js';
import type { McpEndpoint } from './mcp-endpoint.js';
import type { McpSessions } from './mcp-sessions.js';
import type { Gauge, Metrics } from './metrics.js';
import type { Provider } from './oidc/provider.js';
import { openApi } from './openapi.js';
import { Places } from './places.js';
import type { Route } from './route.js';
import { approvalRoutes } from './routes/approvals.js';
import { attentionRoutes } from './routes/attention.js';
import { killRoutes } from './routes/kills.js';
import { mcpRoutes } from './routes/mcp.js';
import { messageRoutes } from './routes/messages.js';
import { operationRoutes } from './routes/operation.js';
import { operatorRoutes } from './routes/operator.js';
import { resourceRoutes } from './routes/resource.js';
import { ruleRoutes } from './routes/rules.js';
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
  readonly provider: Provider | undefined;
  /** Folders and files that are served. */
  readonly directories: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Everything that is served, in the order in which it is described. */
export function routesOf(options: RoutesOptions): readonly Route[] {
  const { host, version } = options;
  const routes: readonly Route[] = [
    ...mcpRoutes(options.endpoint),
    ...toolRoutes(new Places(options.directories)),
    ...messageRoutes(),
    // Before those whose id could be anything.
    ...ruleRoutes(host.approvals.rules, options.now),
    ...approvalRoutes(host.approvals),
    ...operatorRoutes(host.operator),
    ...sessionRoutes(options.sessions),
    ...settingRoutes(host),
    ...switchRoutes(host.switches),
    ...(options.provider === undefined ? [] : resourceRoutes(options.provider)),
    ...killRoutes(host.kills),
    ...attentionRoutes(host),
    ...operationRoutes({ ...options, description: () => openApi(routes, version) }),
  ];
  return routes;
}
