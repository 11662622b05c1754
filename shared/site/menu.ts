// Menus: trees of links, at most five deep and two hundred in all. No I/O.
import { z } from 'zod'
import { invalid } from '../http/errors.ts'
import { codePoints, isHttpUrl, requiredLine, Text } from '../http/text.ts'

const DEEPEST = 5
const MOST_ITEMS = 200
const LONGEST_URL = 2048

/** Within the site: browsers take `//` and `/\` for the beginning of a host, and leave out tabs and ends of lines. */
const PATH = /^(?:\/(?![/\\])|#)[^\p{Cc}\u2028\u2029]*$/u

/** An absolute http(s) URL, or a path of the site from `/` or `#`. */
const Link = Text.transform(text => text.trim())
  .refine(
    text => codePoints(text) <= LONGEST_URL && (PATH.test(text) || isHttpUrl(text)),
    `Must be an http or https URL, or a path from / (not //) or #, of at most ${LONGEST_URL} characters.`,
  )
  .meta({ minLength: 1, maxLength: LONGEST_URL })

const Target = z.enum(['_self', '_blank'], 'Must be "_self" or "_blank".')

const shape = { label: requiredLine(255), url: Link, target: Target.default('_self') }

type ItemInput = z.output<z.ZodObject<typeof shape>> & { children: ItemInput[] }

/** In the document a tree that contains itself, and not each level apart. */
const ITEM_NAME = 'MenuItemInput'
const tree = { items: { $ref: `#/$defs/${ITEM_NAME}` }, maxItems: MOST_ITEMS }

/** As many levels as there may be and no more, so that no body is too deep to be looked at. */
const itemAt = (below: number): z.ZodType<ItemInput> =>
  z.object(
    {
      ...shape,
      children:
        below === 0
          ? z
              .array(z.never(), 'Must be an array of items.')
              .max(0, `Must be at most ${DEEPEST} deep.`)
              .default([])
          : z
              .array(itemAt(below - 1), 'Must be an array of items.')
              .meta(tree)
              .default([]),
    },
    'Must be an object.',
  )

const countOf = (items: ItemInput[]): number =>
  items.reduce((sum, { children }) => sum + 1 + countOf(children), 0)

export const MenuInput = z.object({
  items: z
    .array(itemAt(DEEPEST - 1).meta({ id: ITEM_NAME }), 'Must be an array of items.')
    .refine(items => countOf(items) <= MOST_ITEMS, `Must be at most ${MOST_ITEMS} items in all.`)
    .meta({ maxItems: MOST_ITEMS }),
})
export type MenuInput = z.output<typeof MenuInput>

export type MenuItem = {
  id: number
  label: string
  url: string
  target: '_self' | '_blank'
  type: 'custom_link'
  sort_order: number
  children: MenuItem[]
}

export const MenuItem: z.ZodType<MenuItem> = z
  .object({
    id: z.int(),
    label: z.string(),
    url: z.string(),
    target: Target,
    type: z.literal('custom_link'),
    sort_order: z.int(),
    get children() {
      return z.array(MenuItem)
    },
  })
  .meta({ id: 'MenuItem' })

export const Menu = z.object({ location: z.string(), items: z.array(MenuItem) }).meta({ id: 'Menu' })
export type Menu = z.infer<typeof Menu>

/** Ids are given out from the top down, places among siblings from 1. */
export const menuFrom = (location: string, { items }: MenuInput): Menu => {
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

/** All menus together are one answer to admins, and an answer holds 5.9 MB. */
export const MOST_MENU_BYTES = 5_700_000
/** Reading a menu takes time, however little is in it. */
const BYTES_OF_ANY_MENU = 2_000

/** What a menu takes of an answer as a function gives it back: JSON in a string of JSON. */
export const answerBytes = (menu: Menu): number =>
  BYTES_OF_ANY_MENU + Buffer.byteLength(JSON.stringify(JSON.stringify(menu)))

export const tooManyMenus = () =>
  invalid({
    items: ['All menus together would be larger than one answer: delete one, or make this one smaller.'],
  })

export const Location = z.string().regex(/^[a-z0-9_-]{1,50}$/)
