// Guides to the endpoints of accounts and tokens, with an example of each.
import { type Guide, guideOf } from '../../http/guide.ts'
import { adminUsers } from '../admin-contract.ts'
import { auth, me } from '../contract.ts'

const USER = { id: 2, name: 'Ada', email: 'ada@example.com', email_verified: false }
const ABOUT = { avatar: null, bio: null, created_at: '2026-05-26T15:00:00+00:00' }
const PASSWORD = 'correct horse battery'

/** Only the service can create tokens, so the examples show what they look like. */
const SECRET = { token: 'hcs_2_3_k5QyWbZ7cH1uXvE9sR2aJ5nLfGoPiY8wKzCt3MmT4kq', token_type: 'Bearer' as const }
const LINK = '2.1780412400.mT4kq0dQyWbZ7cH1uXvE9sR2aJ5nLfGoPiY8wKzCt3M'

const SESSION = { ...SECRET, user: USER }
const PROFILE = { ...USER, ...ABOUT, abilities: ['user' as const] }
const TOKEN = {
  id: 3,
  name: 'laptop',
  abilities: ['user' as const, 'comments:write' as const],
  last_used_at: null,
  expires_at: null,
  created_at: '2026-05-26T15:00:00+00:00',
  is_current: false,
}
const FOR_ADMINS = { ...USER, ...ABOUT, is_banned: false, ban_reason: null, banned_until: null }

export const ACCOUNT_ENDPOINTS: Guide[] = [
  ...guideOf(auth, {
    login: {
      description: `Issues a token with the ability \`user\`. An unknown address and a wrong password are the same answer in the same
        time. After 50 wrong passwords an hour for one address, with or without an account, it is a 429, except from IP addresses
        that logged in to that account within 30 days. A user who is refused at a new IP address resets the password by mail.
        If the account has 100 tokens already, the token of a login that was used longest ago is deleted.`,
      body: { email: 'ada@example.com', password: PASSWORD, device_name: 'laptop' },
      data: SESSION,
    },
    register: {
      description: `Issues a token with the ability \`user\` and sends a mail with a link that confirms the address. An address that has
        an account is a 422 on \`email\`, forever. The mail contains no name, since the name and the address may be a stranger's.`,
      body: { name: 'Ada', email: 'ada@example.com', password: PASSWORD },
      data: SESSION,
    },
    verifyEmail: {
      description: 'The token works once, for seven days. A wrong, used or expired one is a 422 on `token`.',
      body: { token: LINK },
    },
    forgotPassword: {
      description:
        'Sends a mail with a link if the address has an account. Neither the answer nor its time tells.',
      body: { email: 'ada@example.com' },
    },
    resetPassword: {
      description: `The token works once, for 60 minutes. All tokens of the account are revoked immediately. It does not confirm the address,
        and a banned user stays banned.`,
      body: { token: LINK, password: PASSWORD },
    },
    logout: { description: 'Revokes the token of this request.' },
  }),
  ...guideOf(me, {
    getMe: { data: PROFILE },
    changeMe: {
      description: `Members that are left out keep their values. The name and the picture together change at most 10 times an hour; then it is
        a 429.`,
      body: { bio: 'I write programs.' },
      data: { ...PROFILE, bio: 'I write programs.' },
    },
    sendVerification: { description: 'Sends nothing if the address is confirmed.' },
    listTokens: {
      description: 'The list is whole, without expired tokens. It never contains the text of a token.',
      data: [{ ...TOKEN, is_current: true }],
    },
    createToken: {
      description: `The answer contains the text of the token; no other answer does. A user has at most 100 tokens, then it is a 422 on
        \`tokens\`. Tokens that the owner of the site creates are not limited. A token with the ability \`builds:read\` is for builds of a
        site: public reads with it are counted per token, 1,200 a minute, and not per address, while the user is an admin.`,
      body: { name: 'laptop', abilities: ['user', 'comments:write'] },
      data: { ...TOKEN, ...SECRET },
    },
    deleteToken: {
      description:
        'It stops working immediately. A token with the ability `admin` or `builds:read` can only be deleted with one that has `admin`.',
      params: { id: 4 },
    },
  }),
  ...guideOf(
    adminUsers,
    {
      listUsers: {
        description: 'All users by id, or those that `q` finds, sorted by name or address.',
        data: [FOR_ADMINS],
      },
      getUser: { params: { id: 1 }, data: FOR_ADMINS },
      banUser: {
        description: `Acts from the user's next request on: every endpoint that needs a token answers 403 \`ACCOUNT_BANNED\`, and the
          webhooks of the user get nothing. A second ban replaces reason and end; the event fires only if the user was not banned.
          Admins cannot ban themselves.`,
        params: { id: 2 },
        body: { reason: 'Spam', until: null },
        data: { ...FOR_ADMINS, is_banned: true, ban_reason: 'Spam' },
      },
      unbanUser: {
        description: 'Acts from the next request on. It fires nothing. Lifting no ban changes nothing.',
        params: { id: 2 },
        data: FOR_ADMINS,
      },
    },
    {
      q: [
        `The beginning of a name, without regard to case and diacritics (the first 100 characters count). With an \`@\` in it,
          the beginning of an e-mail address.`,
        'own',
      ],
    },
  ),
]
