import type { ServerTrial } from '../../host/host.js';

/** Hosts that a server tried to reach and that nobody is asked about, with how to allow them. */
export function notOfferedTexts(trial: ServerTrial | undefined): string[] {
  return (trial?.otherHosts ?? []).map((it) =>
    /^public\b/i.test(it)
      ? `tried ${it}, not offered: net:public would allow every public host`
      : `tried ${it}, not offered: --allow net:${it} would allow it`,
  );
}
