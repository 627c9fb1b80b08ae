// Everything that git could take from its surroundings is set here, so that only our arguments count.

/** Variables for every run. `home` is an empty folder. */
export function gitEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ALLOW_PROTOCOL: 'https',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/** Settings as arguments, which count more than those of a repository. */
export function gitSettings(certificates: string, idleSeconds: number): readonly string[] {
  const settings = [
    'protocol.allow=never',
    'protocol.https.allow=always',
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.attributesFile=/dev/null',
    'core.protectHFS=true',
    'core.protectNTFS=true',
    'credential.helper=',
    'fetch.fsckObjects=true',
    'transfer.fsckObjects=true',
    'fetch.recurseSubmodules=false',
    'submodule.recurse=false',
    'gc.auto=0',
    'maintenance.auto=false',
    'http.sslVerify=true',
    `http.sslCAInfo=${certificates}`,
    'http.followRedirects=initial',
    // A server that sends less than 1 kB per second for this time is given up.
    'http.lowSpeedLimit=1000',
    `http.lowSpeedTime=${idleSeconds}`,
    'uploadpack.packObjectsHook=',
    'tar.umask=0022',
  ];
  return settings.flatMap((it) => ['-c', it]);
}

/**
 * Attributes that win over those of the repository: its files arrive exactly as they were committed. Otherwise it could
 * leave files out of the archive, or change them with every archive.
 */
export const gitAttributes =
  '* -export-ignore -export-subst -filter -text -eol -ident -working-tree-encoding -diff -merge\n';
