import type { JsonObject } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import type { Signal } from '../model/signal.js';
import type { SlotValues } from '../model/slot.js';
import type { Reach } from '../net/destination.js';
import type { SandboxProfile } from '../run/launch.js';
import type { Upstream, UpstreamAnnouncement } from '../run/upstream/upstream.js';
import type { ProgramPlace } from './announcement-book.js';
import { oneAtATime } from './one-at-a-time.js';
import { cleanFailure } from './output-scan.js';
import { programLog } from './program-log.js';
import type { CallScan } from './scanner.js';
import type { SessionServices, SessionSetup } from './session-services.js';
import type { UpstreamTarget } from './upstream-connections.js';

/** A program that is to be brought up, and for whom. */
export interface Opening {
  readonly of: Package;
  readonly program: Program;
  readonly place: ProgramPlace;
  readonly slots: SlotValues;
  readonly reach: Reach;
  readonly natsUrl: string | null;
  readonly confinement: SandboxProfile | null;
  readonly scan: () => Promise<CallScan>;
  /** Ends what is up, so that the next who needs it starts it anew. */
  readonly end: (reason: string) => Promise<void>;
}

/** As long as a handshake may take. */
const handshakeMs = 10_000;
/** Between two looks at what a program says that it can do now. */
const changeRestMs = 1000;

/**
 * How a program is brought up, and how its words are made fit to be passed on: whatever it says before it is up, or when it
 * goes, is read by people and models like an answer.
 */
export function openingOf(
  { of, program, place, slots, reach, natsUrl, confinement, scan, end }: Opening,
  { remote, performer, kills }: SessionServices,
  { principal, parse }: SessionSetup,
): Pick<UpstreamTarget, 'open' | 'words'> {
  let looked: CallScan | undefined;
  let up: Upstream | undefined;
  const askAgain = async () => {
    remote.onLog?.(of.id, `${program.name} says that its tools changed`);
    const told = async (said: UpstreamAnnouncement) => toldBy(await scan(), said);
    await remote.book.ask(place, up, told).catch(() => end('its tools changed'));
  };
  const connected = async (signal: Signal, found: CallScan): Promise<Upstream> => {
    let isGone = false;
    const connect = await remote.connect[program.protocol === 'nexo' ? 'nexo' : 'mcp']();
    const opened = await connect({
      package: of,
      program,
      agentVersion: parse.agentVersion,
      slots,
      confined: async () => {
        if (confinement === null) throw new Error('only a process is confined');
        return confinement;
      },
      machine: performer.machine,
      client: performer.client,
      reach,
      natsUrl,
      prior: remote.book.known(place)?.agreed.revision,
      timeoutMs: handshakeMs,
      signal,
      onLog: programLog(scan, remote.onLog === null ? null : (line) => remote.onLog?.(of.id, line)),
      onChange: oneAtATime(async () => {
        if (!isGone) await askAgain();
      }, changeRestMs),
    });
    void opened.ended.then(() => {
      isGone = true;
    });
    try {
      await remote.book.heard(place, await toldBy(found, opened.announced));
    } catch (error) {
      await opened.close('what it said cannot be kept');
      throw error;
    }
    return opened;
  };
  return {
    async open(signal) {
      // It may have waited for its turn, or be wanted for something that is no call.
      kills.assertAlive({ principal, package: of.id });
      const found = await scan();
      looked = found;
      try {
        up = await connected(signal, found);
        return up;
      } catch (error) {
        throw await cleanFailure(found, error);
      }
    },
    words: (text) => looked?.cleanWords(text) ?? '',
  };
}

/** As it came, but for secrets that it was given: those are for no list. */
async function toldBy(scan: CallScan, said: UpstreamAnnouncement): Promise<UpstreamAnnouncement> {
  const { value, findings, stripped } = await scan.clean(said as unknown as JsonObject);
  const clean = value as unknown as UpstreamAnnouncement;
  if (findings.length > 0) return clean;
  // A tool that hides characters is left out, with a remark: taking them out would make it look harmless.
  return stripped ? { ...clean, tools: said.tools } : said;
}
