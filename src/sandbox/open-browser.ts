import { spawn } from 'node:child_process';

/**
 * Opens a web page in the browser of the person, outside of any sandbox. False if there is no program for it. The address
 * is one argument, and begins with its scheme, so it is never an option or a command.
 */
export function openBrowser(
  address: string,
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { protocol, href } = new URL(address);
  const hasDisplay = [environment.DISPLAY, environment.WAYLAND_DISPLAY, environment.WSL_DISTRO_NAME].some(
    (it) => it !== undefined && it !== '',
  );
  const program = platform === 'darwin' ? 'open' : hasDisplay ? 'xdg-open' : undefined;
  if (program === undefined || (protocol !== 'https:' && protocol !== 'http:')) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [href], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
