// The guide to accounts and tokens.
import type { SliceGuide } from '../../http/guide.ts'
import { ACCOUNT_ENDPOINTS } from './endpoints.ts'
import { ACCOUNT_MEMBERS } from './members.ts'

export const ACCOUNT_GUIDE: SliceGuide = {
  tags: {
    auth: 'Register, log in and out, reset a password.',
    me: "The caller's profile and tokens. Needs the ability `user`.",
    'admin: users': 'Find and ban users. Needs the ability `admin`.',
  },
  endpoints: ACCOUNT_ENDPOINTS,
  members: ACCOUNT_MEMBERS,
}
