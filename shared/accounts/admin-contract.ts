// The endpoints by which admins find and ban users.
import * as z from 'zod/mini'
import { endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
import { named } from '../http/named.ts'
import { optionalWords, requiredLine } from '../http/text.ts'
import { Time, TimeInput } from '../http/time.ts'

export const AdminUser = named(
  'AdminUser',
  z.object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    avatar: z.nullable(z.string()),
    bio: z.nullable(z.string()),
    is_banned: z.boolean(),
    ban_reason: z.nullable(z.string()),
    banned_until: z.nullable(Time),
    created_at: Time,
  }),
)
export type AdminUser = z.infer<typeof AdminUser>

/** The longest name; addresses are shorter. */
const LONGEST_SEARCH = 255
const LONGEST_REASON = 500

export const BanInput = z.object({
  reason: z._default(
    z.pipe(
      optionalWords(LONGEST_REASON),
      z.transform(text => text || null),
    ),
    null,
  ),
  until: z._default(z.nullable(TimeInput), null),
})

const byId = z.object({ id: Id })

export const adminUsers = group(() => ({
  listUsers: endpoint({
    method: 'GET',
    path: '/api/v1/admin/users',
    audience: 'admin',
    summary: 'List users, or find them by name or address',
    message: 'Users.',
    query: z.extend(pageQuery(), { q: z.optional(requiredLine(LONGEST_SEARCH)) }),
    data: z.array(AdminUser),
    isPaginated: true,
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/api/v1/admin/users/{id}',
    audience: 'admin',
    summary: 'Get a user',
    message: 'User.',
    params: byId,
    data: AdminUser,
  }),
  banUser: endpoint({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/ban',
    audience: 'admin',
    summary: 'Ban a user',
    message: 'User banned.',
    params: byId,
    body: BanInput,
    data: AdminUser,
    emits: ['user.banned'],
  }),
  unbanUser: endpoint({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/unban',
    audience: 'admin',
    summary: 'Lift the ban of a user',
    message: 'User unbanned.',
    params: byId,
    data: AdminUser,
  }),
}))
