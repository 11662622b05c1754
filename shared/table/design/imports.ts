// Keys of what imports remember: the id of the site, and the origins of records.
import type { Key } from '../key.ts'
import type { Kind } from '../kinds.ts'
import { key, sha256 } from './parts.ts'

/** A random name of this site, by which an import recognises its own export. */
export const siteIdKey: Key = { pk: 'SITE' satisfies Kind, sk: 'SITE' }

/** `record`: what the source calls the record, with the name of the source. */
export function originKey(record: string) {
  return key('ORIGIN', sha256(record), 'ORIGIN')
}
