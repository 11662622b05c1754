// The endpoint of changes: what a copy of the public content must do to be the same again.
import * as z from 'zod/mini'
import { Category } from '../categories/contract.ts'
import { endpoint, group } from '../http/endpoint.ts'
import { CursorText, limitQuery } from '../http/list-query.ts'
import { named } from '../http/named.ts'
import { Time } from '../http/time.ts'
import { PostListItem } from '../posts/fields.ts'
import { Menu } from '../site/menu.ts'
import { PublicSettings } from '../site/settings.ts'

export const ChangeType = z.enum(['post', 'page', 'category', 'settings', 'menu', 'all'])

export const Change = named(
  'Change',
  z.object({
    type: ChangeType,
    id: z.nullable(z.int()),
    slug: z.nullable(z.string()),
    change: z.enum(['upserted', 'removed']),
    at: Time,
    previous_slug: z.optional(z.string()),
    item: z.optional(z.union([PostListItem, Category, Menu, PublicSettings])),
  }),
)
export type Change = z.infer<typeof Change>

export const changes = group(() => ({
  listChanges: endpoint({
    method: 'GET',
    path: '/api/v1/changes',
    summary: 'List changes of the public content since a cursor',
    message: 'Changes.',
    query: z.extend(limitQuery(), {
      since: z.optional(CursorText),
      include: z.optional(z.enum(['item', 'body'], 'Only "item" or "body" can be included.')),
    }),
    data: z.array(Change),
    hasCursor: true,
    cursorFlags: { more: 'Whether there are more changes already: ask again at once.' },
    faults: ['CURSOR_EXPIRED'],
    // What is remembered may be older than a change that the answer lists.
    readsContent: false,
  }),
}))
