import { hash } from 'node:crypto';

/** SHA-256 in hex. Text is hashed as UTF-8. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** The 32 bytes of SHA-256. */
export function sha256Bytes(content: string | Uint8Array): Buffer {
  return hash('sha256', content, 'buffer');
}
