// The messages of `npm start` once the service runs: how to use it, and which other machines can reach it.
import { isIPv6 } from 'node:net'
import { readHosts } from './http/hosts.ts'
import { DOCS_PATH } from './pages/docs/docs.ts'
import type { OwnerWithTokens } from './seed.ts'

export function welcome(baseUrl: string, owner: OwnerWithTokens, folder: string): string {
  const { adminToken, email, password } = owner
  return `Ready: ${baseUrl}
Admin token: ${adminToken}

Documentation:  ${baseUrl}${DOCS_PATH}
First request:  curl ${baseUrl}/api/v1/posts
As admin:       curl -H 'Authorization: Bearer ${adminToken}' ${baseUrl}/api/v1/admin/webhooks
Owner's login:  ${email} with the password ${password}
Mails:          files in ${folder}/mail; the log shows the links in them
Data:           ${folder}; start with --reset to delete it first

Press Ctrl-C to stop.
`
}

const EVERYWHERE = ['0.0.0.0', '::']

/** @param hosts the values of --host. */
export function hostsNote(hosts: string[], baseUrl: string): string {
  const { addresses } = readHosts(hosts)
  if (addresses.every(address => address === '127.0.0.1')) return ''
  const urls = hosts.map(host => baseUrl.replace('127.0.0.1', isIPv6(host) ? `[${host}]` : host))
  const others = `Other machines can reach it at ${urls.join(', ')}: use this only in networks that you trust.\n`
  if (!addresses.some(address => EVERYWHERE.includes(address))) return others
  const isNameAlone = !hosts.some(host => EVERYWHERE.includes(host))
  const reason = isNameAlone
    ? ', because a name does not say which one. Add --host ADDRESS to choose one'
    : ''
  return `The service listens on all addresses of this machine${reason}.\n${others}`
}

export function databaseNote(isOpenToNetwork: boolean): string {
  if (!isOpenToNetwork) return ''
  return 'Warning: DynamoDB Local listens on all addresses of this machine and requires no key: other users and machines in its network can read and write the data if they find its port.\n'
}
