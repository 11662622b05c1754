// All sections in the order of the report.
import { CHANGES } from './additions/changes.ts'
import { CONTENT } from './additions/content.ts'
import { DELIVERIES } from './additions/deliveries.ts'
import { HTTP } from './additions/http.ts'
import type { Section } from './check.ts'
import { ADMIN_CATEGORIES } from './checks/admin-categories.ts'
import { ADMIN_POSTS } from './checks/admin-posts.ts'
import { ADMIN_WEBHOOKS } from './checks/admin-webhooks.ts'
import { AUTH_ENDPOINTS } from './checks/auth-endpoints.ts'
import { AUTHENTICATION } from './checks/authentication.ts'
import { CATEGORY_FIELDS } from './checks/category-fields.ts'
import { DELIVERY } from './checks/delivery.ts'
import { ENVELOPE } from './checks/envelope.ts'
import { ERRORS } from './checks/errors.ts'
import { EVENTS } from './checks/events.ts'
import { LIMITS, REQUEST_LIMITS } from './checks/limits.ts'
import { LIST_PARAMETERS } from './checks/list-parameters.ts'
import { OTHER_FIELDS } from './checks/other-fields.ts'
import { POST_FIELDS } from './checks/post-fields.ts'
import { POST_STATES } from './checks/post-states.ts'
import { POST_WRITE_FIELDS } from './checks/post-write-fields.ts'
import { PUBLIC_ENDPOINTS } from './checks/public-endpoints.ts'
import { SERVICE } from './checks/service.ts'
import { USER_ENDPOINTS } from './checks/user-endpoints.ts'
import { VERSIONING } from './checks/versioning.ts'
import { WEBHOOK_FIELDS } from './checks/webhook-fields.ts'
import { WEBHOOK_STATES } from './checks/webhook-states.ts'
import { ACCOUNTS } from './completions/accounts.ts'
import { COMMUNITY } from './completions/community.ts'
import { POSTS } from './completions/posts.ts'
import { RULES } from './completions/rules.ts'
import { WEBHOOKS } from './completions/webhooks.ts'

export const SECTIONS: Section[] = [
  SERVICE,
  ENVELOPE,
  POST_FIELDS,
  POST_WRITE_FIELDS,
  CATEGORY_FIELDS,
  WEBHOOK_FIELDS,
  OTHER_FIELDS,
  POST_STATES,
  WEBHOOK_STATES,
  PUBLIC_ENDPOINTS,
  LIST_PARAMETERS,
  AUTH_ENDPOINTS,
  USER_ENDPOINTS,
  ADMIN_POSTS,
  ADMIN_CATEGORIES,
  ADMIN_WEBHOOKS,
  AUTHENTICATION,
  EVENTS,
  DELIVERY,
  ERRORS,
  LIMITS,
  VERSIONING,
  RULES,
  POSTS,
  ACCOUNTS,
  COMMUNITY,
  WEBHOOKS,
  HTTP,
  CONTENT,
  CHANGES,
  DELIVERIES,
]

/** After the clean-up. */
export const LAST_SECTIONS: Section[] = [REQUEST_LIMITS]
