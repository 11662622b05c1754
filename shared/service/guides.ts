// The guides of all slices: the texts and examples of the API's document.
import { ACCOUNT_GUIDE } from '../accounts/guide/index.ts'
import { CATEGORY_GUIDE } from '../categories/guide.ts'
import { CHANGES_GUIDE } from '../changes/guide.ts'
import { COMMENT_GUIDE } from '../comments/guide.ts'
import { CONTACT_GUIDE } from '../contact/guide.ts'
import { EVENT_DESCRIPTIONS } from '../events/guide.ts'
import type { SliceGuide } from '../http/guide.ts'
import { NEWSLETTER_GUIDE } from '../newsletter/guide.ts'
import { POST_GUIDE } from '../posts/guide/index.ts'
import { SEARCH_GUIDE } from '../search/guide.ts'
import { SITE_GUIDE } from '../site/guide/index.ts'
import { TICKET_GUIDE } from '../tickets/guide.ts'
import { WEBHOOK_GUIDE } from '../webhooks/guide.ts'

const SLICES: SliceGuide[] = [
  ACCOUNT_GUIDE,
  CATEGORY_GUIDE,
  CHANGES_GUIDE,
  COMMENT_GUIDE,
  CONTACT_GUIDE,
  NEWSLETTER_GUIDE,
  POST_GUIDE,
  SEARCH_GUIDE,
  SITE_GUIDE,
  TICKET_GUIDE,
  WEBHOOK_GUIDE,
]

export const GUIDES = SLICES.flatMap(({ endpoints }) => endpoints)
export const DESCRIPTIONS = [...SLICES.flatMap(({ members }) => members), ...EVENT_DESCRIPTIONS]
/** The text of each tag, by its name. */
export const TAGS = new Map(SLICES.flatMap(({ tags }) => Object.entries(tags)))
