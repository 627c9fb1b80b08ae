import { sha256 } from '../files/sha256.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Waiver, WaiverKind } from '../model/waiver.js';

export function makeWaiver(kind: WaiverKind, content: Json, text: string): Waiver {
  return { id: sha256(canonicalJson({ kind, content })), kind, content, text, origin: null };
}
