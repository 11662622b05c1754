// "Login user object", "Token", "Public settings", "Menu", "Other resources".
import { succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { notRun } from '../outcome.ts'
import { loggedIn } from '../sessions.ts'
import type { Suite } from '../suite.ts'
import { flag, hold, integer, itemsOf, list, members, shown, text } from '../values.ts'

const SETTINGS = [
  'general.site_name',
  'general.logo_url',
  'general.favicon_url',
  'social.twitter',
  'social.github',
]
/** Locations that services often have. */
const USUAL_MENUS = ['main', 'header', 'primary', 'footer']

/** The menu that was named, a usual one, or one that the suite creates where that is possible. */
export function menu(suite: Suite) {
  return suite.once('menu', async () => {
    for (const location of suite.menu === undefined ? USUAL_MENUS : [suite.menu]) {
      const answer = await suite.reader('GET', `/menus/${location}`)
      if (answer.status === 200) return answer
    }
    const location = suite.unique('menu').toLowerCase().replaceAll(' ', '-')
    const children = [{ label: 'Inner', url: '/inner' }]
    const items = [{ label: 'Outer', url: '/outer', children }]
    const made = await suite.admin('PUT', `/admin/menus/${location}`, { items })
    if (made.status !== 200) notRun('No menu is known: give --menu LOCATION.')
    return succeeds(await suite.reader('GET', `/menus/${location}`), 200)
  })
}

export const OTHER_FIELDS: Section = {
  part: 'contract',
  title: 'Login, token, settings, menu',
  checks: [
    {
      name: 'the user of a login has id, name, email and email_verified',
      proves: '`id` (integer), `name` (string), `email` (string), `email_verified` (boolean).',
      run: async suite => {
        const answer = await loggedIn(suite)
        integer(answer, 'data.user.id')
        for (const name of ['name', 'email']) text(answer, `data.user.${name}`)
        flag(answer, 'data.user.email_verified')
      },
    },
    {
      name: 'a bearer token is an opaque text',
      proves: 'A bearer token is an opaque string with a set of abilities (see Authentication).',
      run: async suite => {
        const token = await suite.userToken()
        hold(token.length > 20 && !/\s/.test(token), 'A token is short, or has spaces.')
        succeeds(await suite.user('GET', '/me'), 200)
      },
    },
    {
      name: 'the keys of public settings are dotted',
      proves: '`data` is an object whose keys are dotted strings.',
      run: async suite => {
        const answer = succeeds(await suite.reader('GET', '/settings/public'), 200)
        const wrong = Object.keys(members(answer, 'data')).filter(key => !/^\w+(?:\.\w+)+$/.test(key))
        hold(wrong.length === 0, `${answer.request}: the keys ${wrong.join(', ')} have no dot.`)
      },
    },
    {
      name: 'the known public settings are texts where they are set',
      proves:
        'Keys used: `general.site_name`, `general.logo_url`, `general.favicon_url`, `social.twitter`, `social.github`.',
      run: async suite => {
        const settings = members(succeeds(await suite.reader('GET', '/settings/public'), 200), 'data')
        for (const key of SETTINGS.filter(known => (settings[known] ?? null) !== null)) {
          const value = settings[key]
          hold(typeof value === 'string', `\`${key}\` is ${shown(value)}, and not a string.`)
        }
      },
    },
    {
      name: 'the items of a menu have id, url, label, target and children of the same shape',
      proves:
        '`data.items` is an array of items with `id`, `url`, `label`, `target`, and `children` (array of items of the same shape, possibly empty).',
      run: async suite => {
        const answer = await menu(suite)
        const checkItems = (path: string): void => {
          for (const item of itemsOf(answer, path)) {
            hold(members(answer, item).id !== undefined, `\`${item}\` has no \`id\`.`)
            for (const name of ['url', 'label', 'target']) text(answer, `${item}.${name}`)
            list(answer, `${item}.children`)
            checkItems(`${item}.children`)
          }
        }
        checkItems('data.items')
      },
    },
  ],
  notShown: [
    'Fields of a token record in the token list: not shown.',
    'The complete key set: not shown.',
    'Valid `location` values: not shown.',
    'Fields of pages, comments, support tickets, newsletter subscribers, contact submissions and user accounts beyond those above: not shown.',
  ],
}
