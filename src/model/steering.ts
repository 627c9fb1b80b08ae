/**
 * Variables that change what a program loads, where it looks or how it is bound. Whoever sets one decides about the
 * programs around a tool, so no manifest may.
 */
const steering =
  /^(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|TMPDIR|CDPATH|PS4|GLOBIGNORE|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_USE_ENV_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|(?:LD|DYLD|MALLOC|GLIBC|GCONV)_.*|GLIBC_TUNABLES|LOCPATH|NLSPATH|RESOLV_HOST_CONF|HOSTALIASES|PYTHON.*|PERL5.*|RUBY(?:OPT|LIB)|(?:HTTPS?|ALL|NO|FTP)_PROXY|TOOLWHARF_.*)$/i;

export function isSteering(name: string): boolean {
  return steering.test(name);
}
