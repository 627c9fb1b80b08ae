import type { Recipients } from './slot.js';

/** One spelling per name: lower case, ASCII, no dot at the end. Empty when it is no name at all. */
export function hostName(text: string): string {
  try {
    return new URL(`https://${text}/`).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}

/** The name itself, or one below it: `api.example.com` is covered by `example.com`, `badexample.com` is not. */
export function coversHost(covering: string, host: string): boolean {
  const above = hostName(covering);
  const name = hostName(host);
  if (above === '' || name === '') return false;
  if (name === above) return true;
  return name.endsWith(`.${above}`) && !/^[\d.]+$|:/.test(above) && !isShared(above);
}

/** Names below which anybody can have one. There are more of them than this; a name of your own is always safer. */
const sharedNames = new Set(
  `amazonaws.com appspot.com azurewebsites.net blogspot.com cloudfront.net firebaseapp.com fly.dev github.io gitlab.io
   herokuapp.com myshopify.com netlify.app ngrok.app ngrok.io onrender.com pages.dev run.app s3.amazonaws.com vercel.app
   web.app workers.dev`.split(/\s+/),
);

/** What everybody shares covers itself and nothing below: `com`, `co.uk`, `github.io`. */
function isShared(name: string): boolean {
  return (
    !name.includes('.') ||
    /^(?:ac|co|com|edu|gob|gov|gv|ltd|me|mil|ne|net|nom|or|org|sch)\.[a-z]{2}$/.test(name) ||
    sharedNames.has(name)
  );
}

export function mayReceive(recipients: Recipients, host: string): boolean {
  switch (recipients.kind) {
    case 'any':
      return true;
    case 'nobody':
      return false;
    case 'hosts':
      return recipients.hosts.some((it) => coversHost(it, host));
  }
}
