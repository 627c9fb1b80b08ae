/**
 * Variables that an engine or its parts read from their own environment, where the values for a container pass through.
 * A package that wants to set one could steer the engine, which runs with the rights of the host.
 */
const steeringEngine =
  /^(?:PATH|HOME|USER|LOGNAME|TMPDIR|TZ|TERM|HOSTNAME|CONTAINER|_.*|XDG_.*|DBUS_.*|SSH_.*|GO[A-Z]*|SSL_.*|LISTEN_.*|NOTIFY_SOCKET|REGISTR.*|(?:DOCKER|CONTAINERS?|PODMAN|LIBPOD|BUILDAH|BUILDKIT|STORAGE|CNI|NETAVARK|OCI|CRUN|RUNC|CONMON|SYSTEMD|SELINUX|GPG|GNUPG|COMPOSE)(?:_.*)?)$/i;

export function steersEngine(name: string): boolean {
  return steeringEngine.test(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
