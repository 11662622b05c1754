// The schemas of accounts and tokens: inputs with their rules, and views.
import * as z from 'zod/mini'
import { ABILITIES, GRANTED_ABILITIES } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { arrayOf, members, named, unique } from '../http/members.ts'
import {
  cleanUrl,
  codePoints,
  isAtMost,
  LINE_PATTERN,
  optionalText,
  requiredLine,
  Text,
} from '../http/text.ts'
import { Time } from '../http/time.ts'

export const USER = {
  id: [z.int(), 'Numeric id.'],
  name: [z.string(), 'Name, as others see it.'],
  email: [z.string(), 'E-mail address.'],
  email_verified: [z.boolean(), 'Whether the user has confirmed the address.'],
} as const
export const ABOUT = {
  avatar: [z.nullable(z.string()), 'Absolute URL of a picture; null if there is none.'],
  bio: [z.nullable(z.string()), 'A few words about the user; null if there are none.'],
} as const
export const CREATED = { created_at: [Time, 'When the account was created, in UTC.'] } as const
const SECRET = {
  token: [
    z.string(),
    'The bearer token, for the header `Authorization: Bearer …`. It is shown only in this answer.',
  ],
  token_type: [z.literal('Bearer'), 'Always `Bearer`.'],
} as const

export const Session = named('Session', members({ ...SECRET, user: [members(USER), 'Who logged in.'] }))
export type Session = z.infer<typeof Session>

export const Profile = named(
  'Profile',
  members({
    ...USER,
    ...ABOUT,
    abilities: [z.array(z.enum(ABILITIES)), 'What the token of this request may do.'],
    ...CREATED,
  }),
)

const TOKEN = {
  id: [z.int(), 'Numeric id.'],
  name: [z.string(), 'Name of the token.'],
  abilities: [z.array(z.enum(ABILITIES)), 'What the token may do. No ability includes another.'],
  last_used_at: [
    z.nullable(Time),
    'When it was last used, in UTC, up to an hour late; null if it was not used for a year.',
  ],
  expires_at: [z.nullable(Time), 'When it expires, in UTC; null if it does not.'],
  created_at: [Time, 'When it was created, in UTC.'],
  is_current: [z.boolean(), 'True for the token of this request.'],
} as const
export const TokenView = named('Token', members(TOKEN))
export type TokenView = z.infer<typeof TokenView>
export const NewToken = members({ ...TOKEN, ...SECRET })

/** The user in the examples of the document. */
export const ADA = { id: 2, name: 'Ada', email: 'ada@example.com', email_verified: false }
export const ABOUT_ADA = { avatar: null, bio: null, created_at: '2026-05-26T15:00:00+00:00' }

/** An empty name counts as missing; the token is then called `api`. */
const DeviceName = z.optional(
  z
    .pipe(
      z.pipe(
        Text,
        z.transform(text => text.trim() || undefined),
      ),
      z.optional(requiredLine(255)),
    )
    .check(z.meta({ maxLength: 255, pattern: LINE_PATTERN })),
)

const DEVICE = {
  device_name: [
    DeviceName,
    'Name for the new token: one line of at most 255 characters. By default `api`.',
    'laptop',
  ],
} as const
export const LoginInput = members({
  email: [requiredLine(254), 'E-mail address of the account, in any case.', 'ada@example.com'],
  password: [
    Text.check(
      z.refine(text => text !== '', 'Is required.'),
      z.meta({ format: 'password', minLength: 1 }),
    ),
    'The password.',
    'correct horse battery',
  ],
  ...DEVICE,
})
export type LoginInput = z.infer<typeof LoginInput>

const SHORTEST_PASSWORD = 8
export const LONGEST_PASSWORD = 200

/** Short passwords can be guessed, and long ones take long to hash. */
export const newPassword = Text.check(
  z.refine(
    text => isAtMost(text, LONGEST_PASSWORD) && codePoints(text) >= SHORTEST_PASSWORD,
    `Must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`,
  ),
  z.meta({ format: 'password', minLength: SHORTEST_PASSWORD, maxLength: LONGEST_PASSWORD }),
)

const PASSWORDS = {
  password: [
    newPassword,
    'The new password: 8 to 200 characters, stored as a hash (scrypt, N 2^17, r 8, p 1).',
    'correct horse battery',
  ],
  password_confirmation: [
    z.optional(Text),
    'The same password again, for forms that ask twice. It may be left out.',
    'correct horse battery',
  ],
} as const

type PasswordPair = { password?: unknown; password_confirmation?: unknown }
/** The confirmation may be missing. `when` reports a wrong one together with all other faults. */
function isConfirmed({ password, password_confirmation }: PasswordPair): boolean {
  return password_confirmation === undefined || password_confirmation === password
}

const UNCONFIRMED = {
  path: ['password_confirmation'],
  error: 'Must be the same as the password.',
  when: () => true,
}

export const Registration = members({
  name: [requiredLine(255), 'Name, as others see it: one line of 1 to 255 characters.', 'Ada'],
  email: [
    emailAddress,
    'E-mail address of at most 254 characters, with a host in any script. Unique without regard to case, and to whether the host is in ASCII form.',
    'ada@example.com',
  ],
  ...PASSWORDS,
  ...DEVICE,
}).check(z.refine(isConfirmed, UNCONFIRMED))
export type Registration = z.infer<typeof Registration>

/** The token of a link in a mail. */
const LINK = { token: [requiredLine(255), 'The `token` of the link in the mail.'] } as const

export const Verification = members(LINK)

export const ForgotPasswordInput = members({
  email: [emailAddress, 'E-mail address of at most 254 characters.', 'ada@example.com'],
})

export const PasswordReset = members({ ...LINK, ...PASSWORDS }).check(z.refine(isConfirmed, UNCONFIRMED))
export type PasswordReset = z.infer<typeof PasswordReset>

/** Missing members stay unchanged. */
export const ProfileChange = members({
  name: [z.optional(requiredLine(255)), 'One line of 1 to 255 characters.', 'Ada'],
  bio: [
    z.optional(z.nullable(optionalText(500))),
    'Plain text of at most 500 characters. Null: none.',
    'I write programs.',
  ],
  avatar: [
    z.optional(z.nullable(cleanUrl(2048))),
    `Absolute http or https URL of a picture, at most 2,048 characters, without user info. It is stored as URL parsers
        write it: \`https://A.example\` as \`https://a.example/\`. Null: none.`,
    'https://images.example.com/ada.jpg',
  ],
})
export type ProfileChange = z.infer<typeof ProfileChange>

/** `admin` is not among the abilities, because no endpoint issues admin tokens. */
export const TokenInput = members({
  name: [requiredLine(255), 'A name of your choice: one line of 1 to 255 characters.', 'laptop'],
  abilities: [
    arrayOf(z.enum(GRANTED_ABILITIES, `Must be one of ${GRANTED_ABILITIES.join(', ')}.`), {
      not: 'Must be an array of abilities.',
      empty: 'Must name at least one ability.',
    }).check(unique()),
    'At least one ability. `admin` cannot be granted, and `builds:read` only with a token that has `admin`.',
    ['user', 'comments:write'],
  ],
})
