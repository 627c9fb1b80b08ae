import type { Host } from '../../../host/host.js';
import type { JsonObject } from '../../../model/json.js';
import type { Gauge, Metrics } from '../metrics.js';
import { anyObject, documentOf, type Route } from '../route.js';

export interface OperationOptions {
  readonly host: Host;
  readonly metrics: Metrics;
  readonly gauges: () => readonly Gauge[];
  readonly description: () => JsonObject;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** For whoever runs the host: is it there, is it well, what does it offer. */
export function operationRoutes(options: OperationOptions): readonly Route[] {
  const { host, metrics, gauges, description } = options;
  return [
    {
      method: 'GET',
      path: '/health',
      role: 'anybody',
      summary: 'Whether the host is there. Tells nothing else and needs no token.',
      answers: { 200: { text: 'It is.', schema: { type: 'object', properties: { ok: { const: true } } } } },
      open: () => ({ body: { ok: true } }),
    },
    {
      method: 'GET',
      path: '/openapi.json',
      role: 'agent',
      summary: 'This description.',
      answers: { 200: { text: 'OpenAPI 3.1.', schema: anyObject } },
      answer: async () => ({ body: description() }),
    },
    {
      method: 'GET',
      path: '/metrics',
      role: 'operator',
      summary: 'Counters and gauges for Prometheus.',
      answers: { 200: { text: 'The text form of Prometheus.', type: 'text/plain' } },
      answer: async () => {
        const waiting: Gauge = {
          name: 'toolwharf_approvals_waiting',
          text: 'Held calls that nobody has decided on.',
          value: (await host.approvals.list(['proposed'])).length,
        };
        const processes: Gauge = {
          name: 'toolwharf_processes',
          text: 'Confined processes by what they are for.',
          value: { label: 'kind', values: { ...(await host.processes()) } },
        };
        return { type: metricsType, body: metrics.text([...gauges(), waiting, processes]) };
      },
    },
    {
      method: 'GET',
      path: '/api/v1/audit/verify',
      role: 'operator',
      summary: 'Recomputes the chain of the record.',
      answers: {
        200: {
          text: 'Whether the record is whole.',
          schema: documentOf('toolwharf/audit@1', {
            ok: { type: 'boolean' },
            entries: { type: 'integer' },
          }),
        },
      },
      answer: async () => ({ body: { schema: 'toolwharf/audit@1', ...(await host.verifyAudit()) } }),
    },
  ];
}
