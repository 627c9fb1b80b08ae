import { HostError } from '../model/host-error.js';
import { describeWay, type Way } from './source.js';
import { normalName } from './wheel.js';

export interface PipFailure {
  readonly stderr: string;
  /** The installer's own detailed log. */
  readonly log: string;
  readonly refused: readonly string[];
  readonly requirements: readonly string[];
  readonly python: string;
  readonly way: Way;
}

/**
 * Says in our words why packages could not be had. That it failed is known already; the installer's words only choose the
 * sentence, and what nobody recognizes is shown as it is.
 */
export function explainPip(failure: PipFailure): HostError {
  const { stderr, log, way, python } = failure;
  const where = describeWay(way);
  const wanted = failure.requirements.join(', ');
  if (failure.refused.length > 0) {
    return new HostError(
      'network_denied',
      `fetching ${wanted} was not let through to ${failure.refused.join(', ')}; only ${where} may be reached`,
      { hint: 'name an index that serves the files itself, or put the wheels into a find-links folder' },
    );
  }
  // A page that is not there only means that the index does not know the name.
  const unread = [...log.matchAll(/Could not fetch URL \S+: (\d{3})?/g)]
    .map((it) => it[1])
    .find((it) => it !== '404');
  const unreachable =
    /NewConnectionError|ProxyError|TimeoutError|SSLError|Could not fetch URL \S+: (?!\d{3})/;
  if (unread !== undefined || unreachable.test(stderr + log)) {
    const status = unread === undefined ? '' : ` (it answered with status ${unread})`;
    return new HostError(
      'network_failed',
      `${where} could not be reached${status} while fetching ${wanted}`,
      {
        hint: 'check the network connection and the configured index, then try again',
      },
    );
  }
  const missing = /No matching distribution found for ([^\s(]+)/.exec(stderr)?.[1];
  if (missing !== undefined) {
    const name = normalName(/^[A-Za-z0-9._-]+/.exec(missing)?.[0] ?? missing);
    const sources = [...log.matchAll(/No sources permitted for ([A-Za-z0-9._-]+)/g)].map((it) =>
      normalName(it[1] as string),
    );
    if (sources.includes(name)) {
      return new HostError(
        'not_supported',
        `${missing} is there only as source in ${where}; packages are installed from wheels only, because building one runs its code`,
        {
          hint: `choose a version of ${name} that has a wheel, or build one and put it into a find-links folder`,
        },
      );
    }
    return new HostError(
      'not_found',
      `no wheel of ${missing} in ${where} fits Python ${python} on this machine`,
      {
        hint: 'check the name and version, and whether it has a wheel for this Python',
      },
    );
  }
  return new HostError(
    'upstream_failed',
    `the Python packages ${wanted} could not be installed:\n${tail(stderr)}`,
    {
      hint: 'see what the installer says above',
    },
  );
}

/** The last lines, for a message. */
export function tail(text: string): string {
  return text.trimEnd().split('\n').slice(-12).join('\n').slice(-4000);
}
