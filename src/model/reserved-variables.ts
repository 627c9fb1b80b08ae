/**
 * Environment variables that change which code a program loads, where it searches for files or how it connects. A
 * manifest must not set them, because they affect more than the tool itself.
 */
const reserved =
  /^(?:PATH|HOME|SHELL|IFS|ENV|BASH_ENV|TMPDIR|CDPATH|PS4|GLOBIGNORE|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_USE_ENV_PROXY|SSL_CERT_FILE|SSL_CERT_DIR|(?:LD|DYLD|MALLOC|GLIBC|GCONV)_.*|GLIBC_TUNABLES|LOCPATH|NLSPATH|RESOLV_HOST_CONF|HOSTALIASES|PYTHON.*|PERL5.*|RUBY(?:OPT|LIB)|(?:HTTPS?|ALL|NO|FTP)_PROXY|TOOLWHARF_.*)$/i;

/** Whether a manifest must not set the variable. Upper and lower case are equal. */
export function isReservedVariable(name: string): boolean {
  return reserved.test(name);
}
