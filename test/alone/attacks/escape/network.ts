// Attempts to use the network. Every address belongs to a listener of this test, or to namespaces that the
// attempt creates.
import { type Attempt, quoted, without } from './attempt.js';
import { ownNamespaces } from './kernel.js';

const streams: readonly Attempt[] = [
  {
    name: 'talk to a server on loopback',
    language: 'python',
    code: ({ port }) =>
      `import socket\nprint(socket.create_connection(("127.0.0.1", ${port}), 2).recv(99).decode())`,
  },
  {
    name: 'talk to a server on loopback',
    language: 'node',
    code: ({ port }) =>
      `require("net").connect(${port}, "127.0.0.1").on("data", (it) => console.log(String(it))).on("error", () => {})`,
  },
  {
    name: 'talk to a server on loopback',
    language: 'shell',
    code: ({ port }) => `exec 5<>/dev/tcp/127.0.0.1/${port}; cat <&5`,
  },
  {
    name: 'talk to a server on loopback over IPv6',
    language: 'python',
    code: ({ port6 }) =>
      `import socket\nprint(socket.create_connection(("::1", ${port6}), 2).recv(99).decode())`,
    mayBeAbsent: 'no IPv6 on this machine',
  },
  {
    name: 'exchange datagrams with loopback',
    language: 'python',
    code: ({ datagramPort }) =>
      `import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(1)\ns.sendto(b"x", ("127.0.0.1", ${datagramPort}))\nprint(s.recv(99).decode())`,
  },
  {
    name: 'exchange datagrams with loopback',
    language: 'node',
    code: ({ datagramPort }) => `const s = require("dgram").createSocket("udp4");
s.on("message", (it) => { console.log(String(it)); s.close(); });
s.on("error", () => s.close());
s.send("x", ${datagramPort}, "127.0.0.1");
setTimeout(() => process.exit(), 1000);`,
  },
  {
    name: 'reach a socket with an abstract name',
    language: 'python',
    code: ({ victim }) =>
      `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("\\0" + ${quoted(victim.abstract)})\nprint(s.recv(99).decode())`,
  },
  {
    name: 'reach a socket in a folder of the machine',
    language: 'python',
    code: ({ victim }) =>
      `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(${quoted(victim.socket)})\nprint(s.recv(99).decode())`,
  },
  {
    name: 'reach a socket in a folder of the machine',
    language: 'node',
    code: ({ victim }) =>
      `require("net").connect(${quoted(victim.socket)}).on("data", (it) => console.log(String(it))).on("error", () => {})`,
  },
  {
    name: 'see a network device besides loopback',
    language: 'shell',
    code: () => '[ "$(grep -c : /proc/net/dev)" -gt 1 ] && echo REACHED',
    mayBeAbsent: 'this machine has only the loopback device',
  },
  {
    name: 'see the connections of the machine',
    language: 'python',
    code: ({ port }) =>
      `print("REACHED" if ":" + format(${port}, "04X") in open("/proc/net/tcp").read() else "")`,
  },
];

/** Opens a socket. */
const opened = (family: number, type: number, protocol: number) => `
import socket
def attempt():
    try:
        socket.socket(${family}, ${type}, ${protocol})
        print("REACHED")
    except OSError as error:
        print(error)
attempt()
`;
/** Opens a socket, then tries again in new namespaces, where an ordinary user has every capability. */
const openedAnywhere = (family: number, type: number, protocol: number) =>
  `${opened(family, type, protocol)}${ownNamespaces('0x40000000')}attempt()`;

const filter = without('system call filter');

const families: readonly Attempt[] = [
  { name: 'open a raw socket', language: 'python', code: () => openedAnywhere(2, 3, 1) },
  { name: 'open a raw IPv6 socket', language: 'python', code: () => openedAnywhere(10, 3, 58) },
  { name: 'open a packet socket', language: 'python', code: () => openedAnywhere(17, 3, 0x300) },
  {
    name: 'open a socket to the hypervisor (vsock)',
    language: 'python',
    code: () => opened(40, 1, 0),
    control: filter,
    mayBeAbsent: 'this kernel has no vsock',
  },
  {
    name: "open a socket to the kernel's ciphers (alg)",
    language: 'python',
    code: () => opened(38, 5, 0),
    control: filter,
    mayBeAbsent: 'this kernel has no AF_ALG',
  },
  {
    name: "open a socket to the kernel's events (netlink)",
    language: 'python',
    code: () => opened(16, 3, 15),
    control: filter,
  },
  {
    name: "open a socket to the kernel's firewall (netlink)",
    language: 'python',
    code: () => opened(16, 3, 12),
    control: filter,
    mayBeAbsent: 'this kernel has no netfilter',
  },
];

export const networkAttempts: readonly Attempt[] = [...streams, ...families];
