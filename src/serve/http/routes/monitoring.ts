import type { Host } from '../../../host/host.js';
import { jsonObject } from '../../../host/operations/shape.js';
import type { JsonObject } from '../../../model/json.js';
import { documents } from '../../documents/documents.js';
import type { Gauge, Metrics } from '../metrics.js';
import type { Route } from '../route.js';

export interface MonitoringOptions {
  readonly host: Host;
  readonly metrics: Metrics;
  readonly gauges: () => readonly Gauge[];
  readonly description: () => JsonObject;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Health, metrics, audit check and API description. */
export function monitoringRoutes(options: MonitoringOptions): readonly Route[] {
  const { host, metrics, gauges, description } = options;
  return [
    {
      method: 'GET',
      path: '/health',
      role: 'public',
      summary: 'Check that the host is running. Needs no token.',
      responses: {
        200: {
          description: 'The host is running.',
          schema: { type: 'object', properties: { ok: { const: true } } },
        },
      },
      respond: () => ({ body: { ok: true } }),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      role: 'agent',
      summary: 'Get this OpenAPI description.',
      responses: { 200: { description: 'OpenAPI 3.1 document.', schema: jsonObject().schema } },
      handle: async () => ({ body: description() }),
    },
    {
      method: 'GET',
      path: '/metrics',
      role: 'operator',
      summary: 'Get metrics for Prometheus.',
      responses: { 200: { description: 'Metrics in the Prometheus text format.', type: 'text/plain' } },
      handle: async () => {
        const waiting: Gauge = {
          name: 'toolwharf_approvals_waiting',
          help: 'Held calls without a decision.',
          value: (await host.approvals.list(['proposed'])).length,
        };
        const processes: Gauge = {
          name: 'toolwharf_processes',
          help: 'Sandboxed processes by kind.',
          value: { label: 'kind', values: { ...(await host.processes()) } },
        };
        return { type: metricsType, body: metrics.text([...gauges(), waiting, processes]) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/audit/verify',
      role: 'operator',
      summary: 'Verify the audit log.',
      responses: {
        200: {
          description: 'Whether the audit log is intact.',
          schema: documents['audit@1'].shape.schema,
        },
      },
      handle: async () => ({ body: { schema: 'toolwharf/audit@1', ...(await host.verifyAudit()) } }),
    },
  ];
}
