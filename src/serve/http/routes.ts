import type { Host } from '../../host/host.js';
import type { McpEndpoint } from './mcp-endpoint.js';
import type { McpSessions } from './mcp-sessions.js';
import type { Gauge, Metrics } from './metrics.js';
import type { IdentityProvider } from './oidc/identity-provider.js';
import { openApi } from './openapi.js';
import { PathRedactor } from './path-redactor.js';
import type { Route } from './route.js';
import { approvalRoutes } from './routes/approvals.js';
import { attentionRoutes } from './routes/attention.js';
import { killRoutes } from './routes/kills.js';
import { mcpRoutes } from './routes/mcp.js';
import { messageRoutes } from './routes/messages.js';
import { monitoringRoutes } from './routes/monitoring.js';
import { operationRoutes } from './routes/operations.js';
import { operatorRoutes } from './routes/operator.js';
import { protectedResourceRoutes } from './routes/protected-resource.js';
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
  readonly provider: IdentityProvider | undefined;
  /** Absolute paths of the served folders and files. */
  readonly directories: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** All routes, in the order of the OpenAPI description. */
export function routesOf(options: RoutesOptions): readonly Route[] {
  const { host, version } = options;
  const routes: readonly Route[] = [
    ...mcpRoutes(options.endpoint),
    ...toolRoutes(new PathRedactor(options.directories)),
    ...messageRoutes(),
    // Before the routes with {id}, which would match `rules` too.
    ...ruleRoutes(host.approvals.rules, options.now),
    ...approvalRoutes(host.approvals),
    ...operatorRoutes(host.operator),
    ...sessionRoutes(options.sessions),
    ...settingRoutes(host),
    ...switchRoutes(host.switches),
    ...(options.provider === undefined ? [] : protectedResourceRoutes(options.provider)),
    ...killRoutes(host.kills),
    ...attentionRoutes(host),
    ...operationRoutes(host),
    ...monitoringRoutes({ ...options, description: () => openApi(routes, version) }),
  ];
  return routes;
}
