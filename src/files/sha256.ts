import { hash } from 'node:crypto';

/** SHA-256 in hex. Text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}
