// Chooses the network for the database. DynamoDB emulators answer any client that can connect, so on Linux
// the database runs in a network namespace of its own, if the system allows users to create one.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

export type Network = {
  /** The command that starts another command in this network. */
  prefix: string[]
  /** The address for the database to listen on. */
  host: string
  isPrivate: boolean
}

const run = promisify(execFile)
const WITH_LOOPBACK = ['sh', '-c', 'PATH="$PATH:/usr/sbin:/sbin" ip link set lo up && exec "$0" "$@"']

let network: Promise<Network> | undefined

/** Tries once per process, with a command that does nothing. */
export function findNetwork(): Promise<Network> {
  network ??= openNamespace().catch(() => ({ prefix: [], host: hiddenAddress(), isPrivate: false }))
  return network
}

async function openNamespace(): Promise<Network> {
  if (process.platform !== 'linux') throw new Error('Only Linux has network namespaces.')
  // In a user namespace root could open only its own files, and it does not need one.
  const userNamespace = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const prefix = ['unshare', ...userNamespace, '--net', ...WITH_LOOPBACK]
  await run(prefix[0] ?? '', [...prefix.slice(1), 'true'])
  return { prefix, host: '127.0.0.1', isPrivate: true }
}

/** One of 16 million loopback addresses, so that a web page cannot find the database by trying ports. */
function hiddenAddress(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}
