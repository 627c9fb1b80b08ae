import { HostError } from '../model/host-error.js';
import { lastLines } from '../model/last-lines.js';
import { deniedSourceHint, describeSource, type InstallerNetwork } from './installer-network.js';
import { normalizedName } from './wheel.js';

export interface PipFailure {
  readonly stderr: string;
  /** pip's detailed log. */
  readonly log: string;
  readonly deniedHosts: readonly string[];
  readonly deniedPrivate: boolean;
  readonly requirements: readonly string[];
  readonly python: string;
  readonly network: InstallerNetwork;
}

const indexSetting = {
  flag: '--index',
  key: 'python.index',
  path: '/simple/',
  otherwise: 'configure an index that serves the files itself, or put the wheels into a find-links folder',
};

/**
 * Explains why packages could not be installed. pip has one exit code for every failure, so its output selects the
 * message; output that is not recognized is shown as it is.
 */
export function explainPip(failure: PipFailure): HostError {
  const { stderr, log, network, python } = failure;
  const where = describeSource(network);
  const requirements = failure.requirements.join(', ');
  if (failure.deniedHosts.length > 0) {
    return new HostError(
      'network_denied',
      `downloading ${requirements} from ${failure.deniedHosts.join(', ')} was denied; only ${where} is allowed`,
      { hint: deniedSourceHint(network, { ...failure, isPrivate: failure.deniedPrivate }, indexSetting) },
    );
  }
  // Status 404 only means that the index does not know the name.
  const failedStatus = [...log.matchAll(/Could not fetch URL \S+: (\d{3})?/g)]
    .map((it) => it[1])
    .find((it) => it !== '404');
  const unreachable =
    /NewConnectionError|ProxyError|TimeoutError|SSLError|Could not fetch URL \S+: (?!\d{3})/;
  if (failedStatus !== undefined || unreachable.test(stderr + log)) {
    const status = failedStatus === undefined ? '' : ` (status ${failedStatus})`;
    return new HostError(
      'network_failed',
      `${where} could not be reached${status} while downloading ${requirements}`,
      {
        hint: 'check the network connection and the configured index, then try again',
      },
    );
  }
  const missing = /No matching distribution found for ([^\s(]+)/.exec(stderr)?.[1];
  if (missing !== undefined) {
    const name = normalizedName(/^[A-Za-z0-9._-]+/.exec(missing)?.[0] ?? missing);
    const sources = [...log.matchAll(/No sources permitted for ([A-Za-z0-9._-]+)/g)].map((it) =>
      normalizedName(it[1] as string),
    );
    if (sources.includes(name)) {
      return new HostError(
        'not_supported',
        `only a source distribution of ${missing} was found in ${where}; only wheels are installed, because building from source runs code`,
        {
          hint: `choose a version of ${name} that has a wheel, or build a wheel and put it into a find-links folder`,
        },
      );
    }
    return new HostError(
      'not_found',
      `no wheel of ${missing} for Python ${python} on this machine was found in ${where}`,
      {
        hint: 'check the name and the version, and that a wheel for this Python exists',
      },
    );
  }
  return new HostError(
    'upstream_failed',
    `the Python packages ${requirements} could not be installed:\n${lastLines(stderr)}`,
    {
      hint: 'read the output of pip above',
    },
  );
}
