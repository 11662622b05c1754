// Descriptions of the members of accounts and tokens.
import { type Description, describes } from '../../http/descriptions.ts'
import { AdminUser, BanInput } from '../admin-contract.ts'
import {
  ForgotPasswordInput,
  LoginInput,
  LoginUser,
  NewToken,
  PasswordReset,
  Profile,
  ProfileChange,
  Registration,
  Session,
  TokenInput,
  TokenView,
  Verification,
} from '../fields.ts'

const USER = {
  id: 'Numeric id.',
  name: 'Name, as others see it.',
  email: 'E-mail address.',
  email_verified: 'Whether the user has confirmed the address.',
} as const

const ABOUT = {
  avatar: 'Absolute URL of a picture; null if there is none.',
  bio: 'A few words about the user; null if there are none.',
  created_at: 'When the account was created, in UTC.',
} as const

const TOKEN = {
  id: 'Numeric id.',
  name: 'Name of the token.',
  abilities: 'What the token may do. No ability includes another.',
  last_used_at: 'When it was last used, in UTC, up to an hour late; null if it was not used for a year.',
  expires_at: 'When it expires, in UTC; null if it does not.',
  created_at: 'When it was created, in UTC.',
  is_current: 'True for the token of this request.',
} as const

const SECRET_TEXT = {
  token: 'The bearer token, for the header `Authorization: Bearer …`. It is shown only in this answer.',
  token_type: 'Always `Bearer`.',
} as const

const DEVICE = {
  device_name: ['Name for the new token: one line of at most 255 characters. By default `api`.', 'laptop'],
} as const
const LINK = { token: 'The `token` of the link in the mail.' } as const
const PASSWORDS = {
  password: [
    'The new password: 8 to 200 characters, stored as a hash (scrypt, N 2^17, r 8, p 1).',
    'correct horse battery',
  ],
  password_confirmation: [
    'The same password again, for forms that ask twice. It may be left out.',
    'correct horse battery',
  ],
} as const
const EMAIL = ['E-mail address of at most 254 characters.', 'ada@example.com'] as const

const USERS: Description[] = [
  describes(LoginUser, USER),
  describes(Session, { ...SECRET_TEXT, user: 'Who logged in.' }),
  describes(Profile, { ...USER, ...ABOUT, abilities: 'What the token of this request may do.' }),
  describes(AdminUser, {
    ...USER,
    ...ABOUT,
    is_banned: 'Whether the user is banned now.',
    ban_reason: 'Reason of the ban; null without one, or if the user is not banned.',
    banned_until:
      'When the ban ends, in UTC; null if it does not end by itself, or if the user is not banned.',
  }),
  describes(ProfileChange, {
    name: ['One line of 1 to 255 characters.', 'Ada'],
    bio: ['Plain text of at most 500 characters. Null: none.', 'I write programs.'],
    avatar: [
      `Absolute http or https URL of a picture, at most 2,048 characters, without user info. It is stored as URL parsers
        write it: \`https://A.example\` as \`https://a.example/\`. Null: none.`,
      'https://images.example.com/ada.jpg',
    ],
  }),
  describes(BanInput, {
    reason: [
      'Why, at most 500 characters. The event carries it. Null or empty, the default: no reason.',
      'Spam',
    ],
    until: `When the ban ends by itself: any ISO 8601 date, or date and time, in the future. Null, the default: only when an
      admin lifts it.`,
  }),
]

const CREDENTIALS: Description[] = [
  describes(LoginInput, {
    email: ['E-mail address of the account, in any case.', 'ada@example.com'],
    password: ['The password.', 'correct horse battery'],
    ...DEVICE,
  }),
  describes(Registration, {
    name: ['Name, as others see it: one line of 1 to 255 characters.', 'Ada'],
    email: [
      'E-mail address of at most 254 characters, with a host in any script. Unique without regard to case, and to whether the host is in ASCII form.',
      EMAIL[1],
    ],
    ...PASSWORDS,
    ...DEVICE,
  }),
  describes(Verification, LINK),
  describes(ForgotPasswordInput, { email: EMAIL }),
  describes(PasswordReset, { ...LINK, ...PASSWORDS }),
  describes(TokenView, TOKEN),
  describes(NewToken, { ...TOKEN, ...SECRET_TEXT }),
  describes(TokenInput, {
    name: ['A name of your choice: one line of 1 to 255 characters.', 'laptop'],
    abilities: [
      'At least one ability. `admin` cannot be granted, and `builds:read` only with a token that has `admin`.',
      ['user', 'comments:write'],
    ],
  }),
]

export const ACCOUNT_MEMBERS: Description[] = [...USERS, ...CREDENTIALS]
