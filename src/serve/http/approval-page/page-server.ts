import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Host } from '../../../host/host.js';
import { Cancellation } from '../../../model/cancel-signal.js';
import { ConsoleSite } from '../console/console-site.js';
import { HttpError } from '../http-error.js';
import { errorReply, sendReply } from '../http-reply.js';
import { checkHost, ownOrigin } from '../origin-check.js';
import { drainRequest } from '../request-body.js';
import { defaultHttpServerLimits as limits } from '../server-limits.js';
import { ApprovalPage } from './approval-page.js';

export interface PageServer {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

/** Connections at a time. Only people use this server. */
const maxConnections = 64;

export interface PageServerOptions {
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** Served too, under its own path. */
  readonly console?: ConsoleSite | undefined;
}

/** Serves nothing but pages for people, on a free loopback port, for a host without an HTTP server. */
export async function openPageServer(host: Host, options: PageServerOptions): Promise<PageServer> {
  const { now, onBug, console: site } = options;
  const page = new ApprovalPage(host, { now, readMs: limits.readMs });
  const names = { port: 0, names: [] };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkHost(request, names);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (site !== undefined && ConsoleSite.owns(path)) {
      const cancellation = new Cancellation();
      response.once('close', () => cancellation.abort());
      return site.serve({ request, response, origin: ownOrigin(request, names), cancellation });
    }
    if (!ApprovalPage.owns(request.url ?? '')) throw new HttpError(404, 'not_found', 'unknown path');
    await page.serve(request, response, ownOrigin(request, names));
  };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      requireHostHeader: false,
    },
    (request, response) => {
      answer(request, response).catch((error) => {
        sendReply(response, errorReply(error, onBug), limits.readMs);
        drainRequest(request);
      });
    },
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  names.port = port;
  const url = `http://127.0.0.1:${port}`;
  const endLinks = host.approvals.links.serveAt(url);
  return {
    url,
    async close() {
      endLinks();
      await site?.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
