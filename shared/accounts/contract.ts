// Accounts: logging in and out, one's profile and one's tokens.
import { z } from 'zod'
import { ABILITIES, ownLimit, USER_ABILITIES } from '../http/audience.ts'
import { EmptyData, endpoint, Id } from '../http/endpoint.ts'
import { requiredLine, Text } from '../http/text.ts'
import { Time } from '../http/time.ts'

const LoginUser = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
})

const Session = z.object({ token: z.string(), token_type: z.literal('Bearer'), user: LoginUser })

const Profile = z
  .object({
    ...LoginUser.shape,
    avatar: z.string().nullable(),
    bio: z.string().nullable(),
    abilities: z.array(z.enum(ABILITIES)),
    created_at: Time,
  })
  .meta({ id: 'Profile' })

export const TokenView = z
  .object({
    id: z.int(),
    name: z.string(),
    abilities: z.array(z.enum(ABILITIES)),
    last_used_at: Time.nullable(),
    expires_at: Time.nullable(),
    created_at: Time,
    is_current: z.boolean(),
  })
  .meta({ id: 'Token' })
export type TokenView = z.infer<typeof TokenView>

const NewToken = TokenView.extend({ token: z.string(), token_type: z.literal('Bearer') })

const Login = z.object({
  email: requiredLine(254),
  password: Text.refine(text => text !== '', 'Is required.'),
  /** Empty counts as missing, and a token without a name is called `api`. */
  device_name: Text.transform(text => text.trim() || undefined)
    .pipe(requiredLine(255).optional())
    .optional(),
})

/** No endpoint issues admin tokens: `admin` is not on the list. */
const TokenInput = z.object({
  name: requiredLine(255),
  abilities: z
    .array(
      z.enum(USER_ABILITIES, `Must be one of ${USER_ABILITIES.join(', ')}.`),
      'Must be an array of abilities.',
    )
    .min(1, 'Must name at least one ability.')
    .transform(abilities => [...new Set(abilities)]),
})

export const auth = {
  login: endpoint({
    method: 'POST',
    path: '/api/v1/auth/login',
    summary: 'A token for an e-mail address and its password',
    message: 'Logged in.',
    isOpenInMaintenance: true,
    limit: ownLimit('login', 5),
    body: Login,
    data: Session,
    emits: ['user.logged-in'],
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/v1/auth/logout',
    ability: 'any',
    summary: 'The presented token is deleted',
    message: 'Logged out.',
    isOpenInMaintenance: true,
    data: EmptyData,
  }),
}

export const me = {
  getMe: endpoint({
    method: 'GET',
    path: '/api/v1/me',
    audience: 'user',
    summary: "The caller's profile",
    message: 'Profile.',
    data: Profile,
  }),
  listTokens: endpoint({
    method: 'GET',
    path: '/api/v1/me/tokens',
    audience: 'user',
    summary: "The caller's tokens, newest first",
    message: 'Tokens.',
    data: z.array(TokenView),
  }),
  createToken: endpoint({
    method: 'POST',
    path: '/api/v1/me/tokens',
    audience: 'user',
    summary: 'A token with chosen abilities; its text is shown this once',
    message: 'Token created.',
    body: TokenInput,
    data: NewToken,
    status: 201,
  }),
  deleteToken: endpoint({
    method: 'DELETE',
    path: '/api/v1/me/tokens/{id}',
    audience: 'user',
    summary: 'One of the tokens is deleted',
    message: 'Token deleted.',
    params: z.object({ id: Id }),
    data: EmptyData,
  }),
}
