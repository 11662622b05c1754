// The schemas of accounts and tokens: inputs with their rules, and views.
import * as z from 'zod/mini'
import { arrayOf, unique } from '../http/array.ts'
import { ABILITIES, GRANTED_ABILITIES } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { named } from '../http/named.ts'
import { LINE_PATTERN } from '../http/patterns.ts'
import { cleanUrl, codePoints, isAtMost, optionalText, requiredLine, Text } from '../http/text.ts'
import { Time } from '../http/time.ts'

export const LoginUser = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
})

export const Session = named(
  'Session',
  z.object({ token: z.string(), token_type: z.literal('Bearer'), user: LoginUser }),
)
export type Session = z.infer<typeof Session>

export const Profile = named(
  'Profile',
  z.object({
    ...LoginUser.shape,
    avatar: z.nullable(z.string()),
    bio: z.nullable(z.string()),
    abilities: z.array(z.enum(ABILITIES)),
    created_at: Time,
  }),
)

export const TokenView = named(
  'Token',
  z.object({
    id: z.int(),
    name: z.string(),
    abilities: z.array(z.enum(ABILITIES)),
    last_used_at: z.nullable(Time),
    expires_at: z.nullable(Time),
    created_at: Time,
    is_current: z.boolean(),
  }),
)
export type TokenView = z.infer<typeof TokenView>

export const NewToken = z.extend(TokenView, { token: z.string(), token_type: z.literal('Bearer') })

/** An empty name counts as missing; the token is then called `api`. */
const deviceName = z.optional(
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

export const LoginInput = z.object({
  email: requiredLine(254),
  password: Text.check(
    z.refine(text => text !== '', 'Is required.'),
    z.meta({ format: 'password', minLength: 1 }),
  ),
  device_name: deviceName,
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

export const Registration = z
  .object({
    name: requiredLine(255),
    email: emailAddress,
    password: newPassword,
    password_confirmation: z.optional(Text),
    device_name: deviceName,
  })
  .check(z.refine(isConfirmed, UNCONFIRMED))
export type Registration = z.infer<typeof Registration>

/** The token of a link in a mail. */
const linkText = requiredLine(255)

export const Verification = z.object({ token: linkText })

export const ForgotPasswordInput = z.object({ email: emailAddress })

export const PasswordReset = z
  .object({ token: linkText, password: newPassword, password_confirmation: z.optional(Text) })
  .check(z.refine(isConfirmed, UNCONFIRMED))
export type PasswordReset = z.infer<typeof PasswordReset>

/** Missing members stay unchanged. */
export const ProfileChange = z.object({
  name: z.optional(requiredLine(255)),
  bio: z.optional(z.nullable(optionalText(500))),
  avatar: z.optional(z.nullable(cleanUrl(2048))),
})
export type ProfileChange = z.infer<typeof ProfileChange>

/** `admin` is not among the abilities, because no endpoint issues admin tokens. */
export const TokenInput = z.object({
  name: requiredLine(255),
  abilities: arrayOf(z.enum(GRANTED_ABILITIES, `Must be one of ${GRANTED_ABILITIES.join(', ')}.`), {
    not: 'Must be an array of abilities.',
    empty: 'Must name at least one ability.',
  }).check(unique()),
})
