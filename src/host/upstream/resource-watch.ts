import type { Deadline } from '../../run/upstream/upstream.js';
import { cleanFailure } from '../call/output-scan.js';
import type { CallScan } from '../call/secret-scanner.js';
import type { ComparedUpstream } from './compared-upstream.js';
import type { UpstreamConnections, UpstreamTarget } from './upstream-connections.js';

interface WatchedResource extends Deadline {
  /** The server's own address of it. */
  readonly uri: string;
  readonly onUpdate: (uri: string) => void;
}

/**
 * Watches a resource of a program, which keeps running meanwhile. Resolves when the program has agreed, to a promise of
 * the end.
 */
export async function watchResource(
  target: UpstreamTarget<ComparedUpstream>,
  connections: UpstreamConnections<ComparedUpstream>,
  scan: CallScan,
  { uri, onUpdate, timeoutMs, signal }: WatchedResource,
): Promise<{ readonly ended: Promise<void> }> {
  // The address of a part of the resource is text of the server.
  const update = (it: string) => onUpdate(it === uri || scan.cleanShortText(it) !== it ? uri : it);
  const release = connections.keep(target);
  try {
    const { subscription, upstream } = await connections.use(target, async (it) => ({
      subscription: await it.subscribe(uri, update, { timeoutMs, signal }),
      upstream: it,
    }));
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    const ended = Promise.race([upstream.ended, subscription.ended, aborted]).then(() => {
      subscription.end();
      release();
    });
    return { ended };
  } catch (error) {
    release();
    throw await cleanFailure(scan, error);
  } finally {
    await target.guard?.settle();
  }
}
