// Menus: trees of links. No I/O.
import * as z from 'zod/mini'
import { invalid } from '../http/errors.ts'
import { members, named } from '../http/members.ts'
import type { ItemInput, MenuInput } from './menu-input.ts'

export const Target = z.enum(['_self', '_blank'], 'Must be "_self" or "_blank".')

export type MenuItem = {
  id: number
  label: string
  url: string
  target: '_self' | '_blank'
  type: 'custom_link'
  sort_order: number
  children: MenuItem[]
}

export const MenuItem: z.ZodMiniType<MenuItem> = named(
  'MenuItem',
  members({
    id: [z.int(), 'Number that is unique within the menu. It changes when the menu is saved.'],
    label: [z.string(), 'Text of the link.'],
    url: [z.string(), 'Where the link leads.'],
    target: [Target, '`_self` opens it in the same window, `_blank` in a new one.'],
    type: [z.literal('custom_link'), 'Always `custom_link`.'],
    sort_order: [z.int(), 'Position among its siblings, from 1.'],
    children: [z.lazy(() => z.array(MenuItem)), 'Links below this one, in order; empty without any.'],
  }),
)

export const Menu = named(
  'Menu',
  members({
    location: [z.string(), 'Place of the menu on the site.', 'main'],
    items: [z.array(MenuItem), 'Links of the first level, in order.'],
  }),
)
export type Menu = z.infer<typeof Menu>

/** Numbers the items depth first, and the siblings of each level from 1. */
export function menuFrom(location: string, { items }: MenuInput): Menu {
  let last = 0
  const numbered = (siblings: ItemInput[]): MenuItem[] =>
    siblings.map(({ label, url, target, children }, n) => ({
      id: ++last,
      label,
      url,
      target,
      type: 'custom_link',
      sort_order: n + 1,
      children: numbered(children),
    }))
  return { location, items: numbered(items) }
}

/** Admins get all menus in one answer, which holds 5.9 MB. */
export const MAX_MENU_BYTES = 5_700_000
/** Added for each menu, because reading even an empty one takes time. */
const BYTES_OF_ANY_MENU = 2_000

/** Bytes of a menu in the result of a function, where the answer's JSON is a string in JSON. */
export function answerBytes(menu: Menu): number {
  return BYTES_OF_ANY_MENU + Buffer.byteLength(JSON.stringify(JSON.stringify(menu)))
}

export function tooManyMenus() {
  return invalid({
    items: ['All menus together would be larger than one answer: delete one, or make this one smaller.'],
  })
}

export const Location = z.string().check(z.regex(/^[a-z0-9_-]{1,50}$/))
