// What a state holds before its first request: the owner's account and tokens, and demo content.
import { randomBytes } from 'node:crypto'
import type { Owner } from './secrets.ts'

export type SeedOptions = {
  table: { endpoint: string; tableName: string }
  baseUrl: string
  /** Tokens are missing until a first start has made them. */
  owner: Owner
  demo: boolean
  /** The first start on this state, or one after a first start that was cut off before its end. */
  first: boolean
  log: (line: string) => void
}

export type Seeded = Required<Owner>

/** May be cut off at any moment and run again: what it writes twice must be the same thing. */
export async function seed({ owner }: SeedOptions): Promise<Seeded> {
  return {
    ...owner,
    adminToken: owner.adminToken ?? randomBytes(30).toString('base64url'),
    userToken: owner.userToken ?? randomBytes(30).toString('base64url'),
  }
}
