/**
 * Variables that an engine or its components read from their own environment. The values for a container pass through
 * that environment, so a package that sets one of these could configure the engine, which has the host's privileges.
 */
const engineVariables =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|TZ|TERM|HOSTNAME|CONTAINER|_.*|XDG_.*|DBUS_.*|SSH_.*|GO[A-Z]*|SSL_.*|LISTEN_.*|NOTIFY_SOCKET|REGISTR.*|(?:DOCKER|CONTAINERS?|PODMAN|LIBPOD|BUILDAH|BUILDKIT|STORAGE|CNI|NETAVARK|OCI|CRUN|RUNC|CONMON|SYSTEMD|SELINUX|GPG|GNUPG|COMPOSE)(?:_.*)?)$/i;

export function configuresEngine(name: string): boolean {
  return engineVariables.test(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
