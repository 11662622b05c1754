// What `npm start` says once the service runs: how to get in, and who else can.
import { isIPv6 } from 'node:net'
import type { DatabaseReach } from './emulators.ts'
import { readHosts } from './gateway/hosts.ts'
import { DOCS_PATH } from './pages/docs/docs.ts'
import type { OwnerWithTokens } from './seed.ts'

export function welcome(
  baseUrl: string,
  { adminToken, email, password }: OwnerWithTokens,
  folder: string,
): string {
  return `Ready: ${baseUrl}
Admin token: ${adminToken}

Read it:   ${baseUrl}${DOCS_PATH}
Try it:    curl ${baseUrl}/api/v1/posts
As admin:  curl -H 'Authorization: Bearer ${adminToken}' ${baseUrl}/api/v1/admin/webhooks
Log in:    ${email} with the password ${password}
Mails:     as files in ${folder}/mail, and their links in this log
Data is kept in ${folder} (to start over: npm start -- --reset). Ctrl-C stops.
`
}

const EVERYWHERE = ['0.0.0.0', '::']

/** @param given the values of --host. */
export function hostsNote(given: string[], baseUrl: string): string {
  const { addresses } = readHosts(given)
  if (addresses.every(address => address === '127.0.0.1')) return ''
  const urls = given.map(host => baseUrl.replace('127.0.0.1', isIPv6(host) ? `[${host}]` : host))
  const others = `Others reach it, too, at ${urls.join(', ')}: only in networks that you trust.\n`
  if (!addresses.some(address => EVERYWHERE.includes(address))) return others
  const isNameAlone = !given.some(host => EVERYWHERE.includes(host))
  const reason = isNameAlone
    ? ', since a name does not say on which: add --host ADDRESS for that one alone'
    : ''
  return `It listens on all addresses of this machine${reason}.\n${others}`
}

export function databaseNote(reachableFrom: DatabaseReach): string {
  if (reachableFrom === undefined || reachableFrom === 'service') return ''
  const who = `Other users of this machine${reachableFrom === 'network' ? ', and other machines in its network,' : ''}`
  return `Warning: ${who} can read and write the data if they find the port of the table's database, which asks for no key: this system gives the service no network of its own.\n`
}

export function faultsNote(seed: number | undefined): string {
  return seed === undefined ? '' : `Faults are on, by the seed ${seed}: each stands in the log.\n`
}
