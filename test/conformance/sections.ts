// All sections in the order of the report.
import type { Section } from './check.ts'
import { HTTP, UNCHANGED } from './checks/additions.ts'
import { AUTH_ENDPOINTS, AUTHENTICATION, SERVICE, USER_ENDPOINTS } from './checks/authentication.ts'
import { ADMIN_CATEGORIES, CATEGORY_FIELDS } from './checks/categories.ts'
import { COMMUNITY } from './checks/completions.ts'
import { DELIVERY, EVENTS } from './checks/delivery.ts'
import { ENVELOPE } from './checks/envelope.ts'
import { ERRORS } from './checks/errors.ts'
import { LIMITS, REQUEST_LIMITS } from './checks/limits.ts'
import { LIST_PARAMETERS } from './checks/list-parameters.ts'
import { POST_FIELDS, POST_WRITE_FIELDS } from './checks/post-fields.ts'
import { ADMIN_POSTS, POST_STATES } from './checks/post-states.ts'
import { OTHER_FIELDS, PUBLIC_ENDPOINTS, VERSIONING } from './checks/public-endpoints.ts'
import { ADMIN_WEBHOOKS, WEBHOOK_FIELDS, WEBHOOK_STATES } from './checks/webhooks.ts'

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
  COMMUNITY,
  HTTP,
  UNCHANGED,
]

/** After the clean-up. */
export const LAST_SECTIONS: Section[] = [REQUEST_LIMITS]
