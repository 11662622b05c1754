// The network that a database listens on. Emulators of DynamoDB answer whoever reaches their port, so the best one is
// a network of their own, where nobody else is; Linux has these, where its administrator lets users make them.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { promisify } from 'node:util'

export type Network = {
  /** What starts a command in it. */
  prefix: string[]
  /** Where the database is to listen. */
  host: string
  isPrivate: boolean
}

const run = promisify(execFile)
const WITH_LOOPBACK = ['sh', '-c', 'PATH="$PATH:/usr/sbin:/sbin" ip link set lo up && exec "$0" "$@"']

let found: Promise<Network> | undefined

/** Tried once, with a command that does nothing. */
export function findNetwork(): Promise<Network> {
  found ??= openNamespace().catch(() => ({ prefix: [], host: hiddenAddress(), isPrivate: false }))
  return found
}

async function openNamespace(): Promise<Network> {
  if (process.platform !== 'linux') throw new Error('Only Linux has network namespaces.')
  // In a user namespace root may touch files of root alone, so it goes without.
  const rights = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const prefix = ['unshare', ...rights, '--net', ...WITH_LOOPBACK]
  await run(prefix[0] ?? '', [...prefix.slice(1), 'true'])
  return { prefix, host: '127.0.0.1', isPrivate: true }
}

/** One of 16 million addresses, where the system has them: a web page that tries ports does not find it. */
function hiddenAddress(): string {
  if (process.platform === 'darwin') return '127.0.0.1'
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}
