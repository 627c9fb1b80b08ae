import { PathNames } from './path-names.js';

/** Files and folders with credentials. They are hidden from tools at every depth of a mounted folder. */
export const keyMaterial: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.pgp',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/doctl',
  '.config/hcloud',
  '.config/heroku',
  '.config/fly',
  '.fly',
  '.oci',
  '.bluemix',
  '.aliyun',
  '.kube',
  '.docker',
  '.config/containers/auth.json',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.git-credentials',
  '.config/git/credentials',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.config/pip',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.terraform.d',
  '.vault-token',
  '.config/op',
  '.config/rclone',
  '.password-store',
  '.local/share/keyrings',
  '.local/share/kwalletd',
  '.config/keybase',
  '.electrum',
  '.bitcoin',
  '.pgpass',
  '.my.cnf',
  '.claude.json',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.gemini',
  '.config/google-chrome',
  '.config/chromium',
  '.mozilla',
  '.config/BraveSoftware',
  '.thunderbird',
  '.config/toolwharf',
  '.local/state/toolwharf',
  '.local/share/toolwharf',
];

const names = new PathNames(keyMaterial);
const privateKey = /^(?:id_rsa|id_dsa|id_ecdsa.*|id_ed25519.*)$/;
const environmentFile = /^\.env/;
/** A file that shows which variables to set, without their values. */
const environmentExample = /[.\-_](?:example|sample|template)$/;

/**
 * Whether an entry of a folder is key material by its name. `if-private`: only if its content has a private key.
 * `folder`: absolute, without a slash at its end.
 */
export function keyMaterialKind(folder: string, name: string): 'always' | 'if-private' | 'no' {
  if (names.has(folder, name) || privateKey.test(name)) return 'always';
  if (environmentFile.test(name)) return environmentExample.test(name) ? 'no' : 'always';
  return /\.pem$/i.test(name) ? 'if-private' : 'no';
}

/** Whether the text of a PEM file has a private key. */
export function hasPrivateKey(pem: string): boolean {
  return /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/.test(pem);
}
