import { sha256 } from '../../files/sha256.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import { type AnnouncementMap, createOffer, type ToolOffer } from './upstream-tools.js';

/** The tools that packages offer, and their digests. Shared by all sessions, so that each is computed once. */
export class ToolOffers {
  readonly #offers = new WeakMap<Package, { readonly from: AnnouncementMap; readonly offer: ToolOffer }>();
  readonly #digests = new WeakMap<Tool, { readonly packageDigest: string; readonly digest: string }>();

  /** The known tools of a package, as long as the announcements are the same. */
  of(pkg: Package, known: AnnouncementMap): ToolOffer {
    const last = this.#offers.get(pkg);
    if (last !== undefined && areSame(last.from, known)) return last.offer;
    const offer = createOffer(pkg, known);
    this.#offers.set(pkg, { from: known, offer });
    return offer;
  }

  /** The digest of an announced tool covers its package and its announcement, so an approval is bound to both. */
  digestOf(packageDigest: string, tool: Tool): string {
    const known = this.#digests.get(tool);
    if (known?.packageDigest === packageDigest) return known.digest;
    const digest = sha256(`${packageDigest}\0${canonicalJson(tool as unknown as Json)}`);
    this.#digests.set(tool, { packageDigest, digest });
    return digest;
  }
}

function areSame(one: AnnouncementMap, other: AnnouncementMap): boolean {
  return one.size === other.size && [...one].every(([program, it]) => other.get(program) === it);
}
