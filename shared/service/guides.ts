// All descriptions and guides of the document, from the slices.
import { ACCOUNT_DESCRIPTIONS } from '../accounts/descriptions.ts'
import { ACCOUNT_GUIDES } from '../accounts/guide.ts'
import { CATEGORY_DESCRIPTIONS } from '../categories/descriptions.ts'
import { CATEGORY_GUIDES } from '../categories/guide.ts'
import { COMMENT_DESCRIPTIONS } from '../comments/descriptions.ts'
import { COMMENT_GUIDES } from '../comments/guide.ts'
import { CONTACT_DESCRIPTIONS } from '../contact/descriptions.ts'
import { CONTACT_GUIDES } from '../contact/guide.ts'
import { EVENT_DESCRIPTIONS } from '../events/descriptions.ts'
import type { Description } from '../http/descriptions.ts'
import type { Guide } from '../http/guide.ts'
import { NEWSLETTER_DESCRIPTIONS } from '../newsletter/descriptions.ts'
import { NEWSLETTER_GUIDES } from '../newsletter/guide.ts'
import { POST_DESCRIPTIONS } from '../posts/descriptions.ts'
import { POST_GUIDES } from '../posts/guide.ts'
import { SEARCH_DESCRIPTIONS } from '../search/descriptions.ts'
import { SEARCH_GUIDES } from '../search/guide.ts'
import { SITE_DESCRIPTIONS } from '../site/descriptions.ts'
import { SITE_GUIDES } from '../site/guide.ts'
import { TICKET_DESCRIPTIONS } from '../tickets/descriptions.ts'
import { TICKET_GUIDES } from '../tickets/guide.ts'
import { WEBHOOK_DESCRIPTIONS } from '../webhooks/descriptions.ts'
import { WEBHOOK_GUIDES } from '../webhooks/guide.ts'

export const DESCRIPTIONS: Description[] = [
  ...ACCOUNT_DESCRIPTIONS,
  ...CATEGORY_DESCRIPTIONS,
  ...COMMENT_DESCRIPTIONS,
  ...CONTACT_DESCRIPTIONS,
  ...EVENT_DESCRIPTIONS,
  ...NEWSLETTER_DESCRIPTIONS,
  ...POST_DESCRIPTIONS,
  ...SEARCH_DESCRIPTIONS,
  ...SITE_DESCRIPTIONS,
  ...TICKET_DESCRIPTIONS,
  ...WEBHOOK_DESCRIPTIONS,
]

export const GUIDES: Guide[] = [
  ...ACCOUNT_GUIDES,
  ...CATEGORY_GUIDES,
  ...COMMENT_GUIDES,
  ...CONTACT_GUIDES,
  ...NEWSLETTER_GUIDES,
  ...POST_GUIDES,
  ...SEARCH_GUIDES,
  ...SITE_GUIDES,
  ...TICKET_GUIDES,
  ...WEBHOOK_GUIDES,
]
