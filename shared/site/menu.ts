// Menus: trees of links, as a request has them and as they are stored and shown. No I/O.
import * as z from 'zod/mini'
import { arrayOf, members, named } from '../http/members.ts'
import { isAtMost, isHttpUrl, LINK_PATTERN, requiredLine, Text } from '../http/text.ts'

const Target = z.enum(['_self', '_blank'], 'Must be "_self" or "_blank".')

type MenuItem = {
  id: number
  label: string
  url: string
  target: '_self' | '_blank'
  type: 'custom_link'
  sort_order: number
  children: MenuItem[]
}

const MenuItem: z.ZodMiniType<MenuItem> = named(
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

const MAX_DEPTH = 5
const TOO_DEEP = `Must be at most ${MAX_DEPTH} deep.`
const NO_ARRAY = 'Must be an array of items.'
const MAX_ITEMS = 200
const LONGEST_URL = 2048

/**
 * What stays on the site, writes a mail or calls. Browsers take `//` and `/\` for the start of a host, and
 * skip tabs and line ends.
 */
const OTHER_LINK = /^(?:\/(?![/\\])|[#?]|(?:mailto|tel):(?=.))[^\p{Cc}\u2028\u2029]*$/iu

/** An absolute http(s) URL, or one of the other links. */
const Link = z
  .pipe(
    Text,
    z.transform(text => text.trim()),
  )
  .check(
    z.refine(
      text => isAtMost(text, LONGEST_URL) && (OTHER_LINK.test(text) || isHttpUrl(text)),
      `Must be an http or https URL, mailto:, tel:, or begin with / (not //), # or ?, and have at most ${LONGEST_URL} characters.`,
    ),
    z.meta({ minLength: 1, maxLength: LONGEST_URL, pattern: LINK_PATTERN }),
  )

const ITEM = {
  label: [requiredLine(255), 'Text of the link: one line of 1 to 255 characters.', 'Blog'],
  url: [
    Link,
    'An absolute http or https URL, `mailto:`, `tel:`, or what begins with `/` (not `//`), `#` or `?`. At most 2,048 characters.',
    '/blog',
  ],
  target: [
    z._default(Target, '_self'),
    '`_self`, the default, opens the link in the same window, `_blank` in a new one.',
  ],
} as const
const CHILDREN_TEXT = 'Links below this one, empty by default. A menu has at most five levels.'

type ItemInput = Pick<MenuItem, 'label' | 'url' | 'target'> & { children: ItemInput[] }

/** In the document a menu item refers to itself; otherwise each level would be a schema of its own. */
const ITEM_NAME = 'MenuItemInput'
const tree = { items: { $ref: `#/$defs/${ITEM_NAME}` }, maxItems: MAX_ITEMS }

/** One schema per allowed level, so that validation never recurses into a hostile body. */
function itemAt(below: number): z.ZodMiniType<ItemInput> {
  const children =
    below === 0
      ? z._default(arrayOf(z.never(), { not: NO_ARRAY, max: 0, tooLong: TOO_DEEP }), [])
      : z._default(arrayOf(itemAt(below - 1), { not: NO_ARRAY, max: MAX_ITEMS }).check(z.meta(tree)), [])
  return members({ ...ITEM, children: [children, CHILDREN_TEXT] }, 'Must be an object.')
}

/** Counts the items of an unvalidated tree without recursion, and stops above the limit. */
function countAll(items: unknown[]): number {
  const lists = [items]
  let count = 0
  // The list grows while it is walked.
  for (const list of lists) {
    count += list.length
    if (count > MAX_ITEMS) break
    for (const item of list) {
      const { children } = Object(item)
      if (Array.isArray(children)) lists.push(children)
    }
  }
  return count
}

const MenuItemInput = named(ITEM_NAME, itemAt(MAX_DEPTH - 1))

export const MenuInput = members({
  items: [
    arrayOf(MenuItemInput, {
      not: NO_ARRAY,
      max: MAX_ITEMS,
      tooLong: `Must be at most ${MAX_ITEMS} items in all.`,
      count: countAll,
    }),
    'Links of the first level, in order. At most 200 links in all levels together.',
  ],
})
type MenuInput = z.output<typeof MenuInput>

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

export const Location = z.string().check(z.regex(/^[a-z0-9_-]{1,50}$/))
