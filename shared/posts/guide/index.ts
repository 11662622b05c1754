// The guide to posts and pages.
import type { SliceGuide } from '../../http/guide.ts'
import { POST_ENDPOINTS } from './endpoints.ts'
import { POST_MEMBERS } from './members.ts'

export const POST_GUIDE: SliceGuide = {
  tags: {
    posts: 'Published posts and pages.',
    'admin: posts': 'Write posts and pages. Needs the ability `admin`.',
  },
  endpoints: POST_ENDPOINTS,
  members: POST_MEMBERS,
}
