// The endpoints by which admins find and ban users.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { byId, pageParameters } from '../http/parameters.ts'
import { optionalWords, requiredLine } from '../http/text.ts'
import { Time, TimeInput } from '../http/time.ts'
import { ABOUT, ABOUT_ADA, ADA, CREATED, USER } from './fields.ts'

export const AdminUser = named(
  'AdminUser',
  members({
    ...USER,
    ...ABOUT,
    is_banned: [z.boolean(), 'Whether the user is banned now.'],
    ban_reason: [
      z.nullable(z.string()),
      'Reason of the ban; null without one, or if the user is not banned.',
    ],
    banned_until: [
      z.nullable(Time),
      'When the ban ends, in UTC; null if it does not end by itself, or if the user is not banned.',
    ],
    ...CREATED,
  }),
)
export type AdminUser = z.infer<typeof AdminUser>

/** The longest name; addresses are shorter. */
const LONGEST_SEARCH = 255
const LONGEST_REASON = 500

export const BanInput = members({
  reason: [
    z._default(
      z.pipe(
        optionalWords(LONGEST_REASON),
        z.transform(text => text || null),
      ),
      null,
    ),
    'Why, at most 500 characters. The event carries it. Null or empty, the default: no reason.',
    'Spam',
  ],
  until: [
    z._default(z.nullable(TimeInput), null),
    `When the ban ends by itself: any ISO 8601 date, or date and time, in the future. Null, the default: only when an
      admin lifts it.`,
  ],
})

const ofUser = byId('user')

const SHOWN = { ...ADA, ...ABOUT_ADA, is_banned: false, ban_reason: null, banned_until: null }

export const adminUsers = group({ admin: 'Find and ban users. Needs the ability `admin`.' }, () => ({
  listUsers: endpoint({
    method: 'GET',
    path: '/api/v1/admin/users',
    audience: 'admin',
    summary: 'List users, or find them by name or address',
    description: 'All users by id, or those that `q` finds, sorted by name or address.',
    message: 'Users.',
    query: members({
      ...pageParameters(),
      q: [
        z.optional(requiredLine(LONGEST_SEARCH)),
        `The beginning of a name, without regard to case and diacritics (the first 100 characters count). If no name begins
          so, the beginning of an e-mail address. With an \`@\` in it, addresses come first.`,
        'own',
      ],
    }),
    data: z.array(AdminUser),
    example: { data: [SHOWN] },
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/api/v1/admin/users/{id}',
    audience: 'admin',
    summary: 'Get a user',
    message: 'User.',
    params: ofUser,
    data: AdminUser,
    example: { params: { id: 1 }, data: SHOWN },
  }),
  banUser: endpoint({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/ban',
    audience: 'admin',
    summary: 'Ban a user',
    description: `Acts from the user's next request on: every endpoint that needs a token answers 403 \`ACCOUNT_BANNED\`, and the
          webhooks of the user get nothing. A second ban replaces reason and end; the event fires only if the user was not banned.
          Admins cannot ban themselves.`,
    message: 'User banned.',
    params: ofUser,
    body: BanInput,
    data: AdminUser,
    emits: ['user.banned'],
    example: {
      params: { id: 2 },
      body: { reason: 'Spam', until: null },
      data: { ...SHOWN, is_banned: true, ban_reason: 'Spam' },
    },
  }),
  unbanUser: endpoint({
    method: 'POST',
    path: '/api/v1/admin/users/{id}/unban',
    audience: 'admin',
    summary: 'Lift the ban of a user',
    description: 'Acts from the next request on. It fires nothing. Lifting no ban changes nothing.',
    message: 'User unbanned.',
    params: ofUser,
    data: AdminUser,
    example: { params: { id: 2 }, data: SHOWN },
  }),
}))
