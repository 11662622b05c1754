// Exports accounts, without tokens; with password hashes only if they are asked for.
import { User } from '../../../../shared/accounts/user.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { nameIn, passwordKey, userKey } from '../../../../shared/table/design.ts'
import type { ExportLine } from '../format.ts'
import type { ExportOptions, Step } from './step.ts'

async function readUsers(table: Table, ids: number[], options: ExportOptions): Promise<ExportLine[]> {
  const [users, hashes] = await Promise.all([
    table.findMany(ids.map(userKey)),
    options.withPasswords ? findHashes(table, ids) : new Map<number, string>(),
  ])
  return users
    .map(item => User.parse(item))
    .sort((a, b) => a.id - b.id)
    .map(user => userLine(user, hashes.get(user.id)))
}

async function findHashes(table: Table, ids: number[]): Promise<Map<number, string>> {
  const items = await table.findMany(ids.map(passwordKey))
  return new Map(items.map(item => [Number(nameIn(item.pk)), String(item.hash)]))
}

function userLine(user: User, password_hash: string | undefined): ExportLine {
  const { id, name, email, email_verified, avatar, bio, ban, wants_newsletter, created_at } = user
  return {
    type: 'user',
    id,
    name,
    email,
    email_verified,
    avatar,
    bio,
    ban: ban && { reason: ban.reason, until: ban.until === null ? null : isoTime(ban.until) },
    ...(wants_newsletter !== undefined && { wants_newsletter }),
    ...(password_hash !== undefined && { password_hash }),
    created_at: isoTime(created_at),
  }
}

export const USERS_STEP: Step = { name: 'users', counter: 'user', atOnce: 100, read: readUsers }
