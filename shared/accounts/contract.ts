// The endpoints of accounts: registration, login, passwords, and the caller's profile and tokens.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { endpoint, group } from '../http/endpoint.ts'
import { byId } from '../http/parameters.ts'
import {
  ABOUT_ADA,
  ADA,
  ForgotPasswordInput,
  LoginInput,
  NewToken,
  PasswordReset,
  Profile,
  ProfileChange,
  Registration,
  Session,
  TokenInput,
  TokenView,
  Verification,
} from './fields.ts'

const PASSWORD = 'correct horse battery'

/** Only the service can create tokens, so the examples show what they look like. */
const SECRET = { token: 'hcs_2_3_k5QyWbZ7cH1uXvE9sR2aJ5nLfGoPiY8wKzCt3MmT4kq', token_type: 'Bearer' as const }
const LINK = '2.1780412400.mT4kq0dQyWbZ7cH1uXvE9sR2aJ5nLfGoPiY8wKzCt3M'

const SESSION = { ...SECRET, user: ADA }
const PROFILE = { ...ADA, ...ABOUT_ADA, abilities: ['user' as const] }
const TOKEN = {
  id: 3,
  name: 'laptop',
  abilities: ['user' as const, 'comments:write' as const],
  last_used_at: null,
  expires_at: null,
  created_at: '2026-05-26T15:00:00+00:00',
  is_current: false,
}

export const auth = group({ public: 'Register, log in and out, reset a password.' }, () => ({
  register: endpoint({
    method: 'POST',
    path: '/api/v1/auth/register',
    summary: 'Register an account',
    description: `Issues a token with the ability \`user\` and sends a mail with a link that confirms the address. An address that has
        an account is a 422 on \`email\`, forever. The mail contains no name, since the name and the address may be a stranger's.`,
    message: 'Registered.',
    requires: [
      {
        setting: 'auth.registration_enabled',
        code: 'REGISTRATION_DISABLED',
        message: 'Registration is closed.',
      },
    ],
    limit: ownLimit('register', 3),
    body: Registration,
    data: Session,
    status: 201,
    emits: ['user.registered'],
    example: { body: { name: 'Ada', email: 'ada@example.com', password: PASSWORD }, data: SESSION },
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/v1/auth/login',
    summary: 'Log in with e-mail address and password',
    description: `Issues a token with the ability \`user\`. An unknown address and a wrong password are the same answer in the same
        time. After 50 wrong passwords an hour for one address, with or without an account, it is a 429, except from IP addresses
        that logged in to that account within 30 days. A user who is refused at a new IP address resets the password by mail.
        If the account has 100 tokens already, the token of a login that was used longest ago is deleted.`,
    message: 'Logged in.',
    isOpenInMaintenance: true,
    limit: ownLimit('login', 5),
    body: LoginInput,
    faults: ['INVALID_CREDENTIALS', 'ACCOUNT_BANNED'],
    data: Session,
    emits: ['user.logged-in'],
    example: { body: { email: 'ada@example.com', password: PASSWORD, device_name: 'laptop' }, data: SESSION },
  }),
  verifyEmail: endpoint({
    method: 'POST',
    path: '/api/v1/auth/verify-email',
    summary: 'Confirm an e-mail address with the token of a mail',
    description: 'The token works once, for seven days. A wrong, used or expired one is a 422 on `token`.',
    message: 'E-mail address confirmed.',
    body: Verification,
    example: { body: { token: LINK } },
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/v1/auth/forgot-password',
    summary: 'Ask for a mail to reset a password',
    description:
      'Sends a mail with a link if the address has an account. Neither the answer nor its time tells.',
    message: 'If there is an account with this address, a mail is on its way.',
    limit: ownLimit('forgot-password', 3),
    body: ForgotPasswordInput,
    example: { body: { email: 'ada@example.com' } },
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/v1/auth/reset-password',
    summary: 'Reset a password with the token of a mail',
    description: `The token works once, for 60 minutes. All tokens of the account are revoked immediately. It does not confirm the address,
        and a banned user stays banned.`,
    message: 'Password changed. Log in with it.',
    limit: ownLimit('reset-password', 3),
    body: PasswordReset,
    example: { body: { token: LINK, password: PASSWORD } },
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/v1/auth/logout',
    ability: 'any',
    summary: 'Log out',
    description: 'Revokes the token of this request.',
    message: 'Logged out.',
    isOpenInMaintenance: true,
  }),
}))

export const me = group({ user: "The caller's profile and tokens. Needs the ability `user`." }, () => ({
  getMe: endpoint({
    method: 'GET',
    path: '/api/v1/me',
    summary: "Get the caller's profile",
    message: 'Profile.',
    data: Profile,
    example: { data: PROFILE },
  }),
  changeMe: endpoint({
    method: 'PATCH',
    path: '/api/v1/me',
    summary: "Update the caller's profile",
    description: `Members that are left out keep their values. The name and the picture together change at most 10 times an hour; then it is
        a 429.`,
    message: 'Profile changed.',
    body: ProfileChange,
    data: Profile,
    example: { body: { bio: 'I write programs.' }, data: { ...PROFILE, bio: 'I write programs.' } },
  }),
  sendVerification: endpoint({
    method: 'POST',
    path: '/api/v1/me/verify-email',
    summary: "Send the mail that confirms the caller's address again",
    description: 'Sends nothing if the address is confirmed.',
    message: 'If the address is not confirmed yet, a mail is on its way.',
    limit: ownLimit('verify-email', 3, 'user'),
  }),
  listTokens: endpoint({
    method: 'GET',
    path: '/api/v1/me/tokens',
    summary: "List the caller's tokens, newest first",
    description: 'The list is whole, without expired tokens. It never contains the text of a token.',
    message: 'Tokens.',
    data: z.array(TokenView),
    example: { data: [{ ...TOKEN, is_current: true }] },
  }),
  createToken: endpoint({
    method: 'POST',
    path: '/api/v1/me/tokens',
    summary: 'Create a token',
    description: `The answer contains the text of the token; no other answer does. A user has at most 100 tokens, then it is a 422 on
        \`tokens\`. Tokens that the owner of the site creates are not limited. A token with the ability \`builds:read\` is for builds of a
        site: public reads with it are counted per token, 1,200 a minute, and not per address, while the user is an admin.`,
    message: 'Token created.',
    body: TokenInput,
    data: NewToken,
    status: 201,
    example: {
      body: { name: 'laptop', abilities: ['user', 'comments:write'] },
      data: { ...TOKEN, ...SECRET },
    },
  }),
  deleteToken: endpoint({
    method: 'DELETE',
    path: '/api/v1/me/tokens/{id}',
    summary: "Delete one of the caller's tokens",
    description:
      'It stops working immediately. A token with the ability `admin` or `builds:read` can only be deleted with one that has `admin`.',
    message: 'Token deleted.',
    params: byId('token'),
    example: { params: { id: 4 } },
  }),
}))
