// Accounts, search, menus and settings, where the contract is silent.
import type { Section } from '../check.ts'
import { menu } from '../checks/public-endpoints.ts'
import { family, SIBLINGS } from '../records.ts'
import {
  at,
  each,
  equal,
  fails,
  flag,
  hold,
  integer,
  isInvalid,
  list,
  momentMs,
  succeeds,
  text,
  textOrNull,
} from '../values.ts'

export const ACCOUNTS: Section = {
  part: 'completions',
  title: 'Accounts, search, settings, menus',
  checks: {
    '`GET /me`: `id`, `name`, `email`, `email_verified`, `avatar`, `bio`, `abilities` (of the presented token), `created_at`; null where unset.':
      async suite => {
        const answer = succeeds(await suite.user('GET', '/me'), 200)
        integer(answer, 'data.id')
        for (const name of ['name', 'email']) text(answer, `data.${name}`)
        for (const name of ['avatar', 'bio']) textOrNull(answer, `data.${name}`)
        flag(answer, 'data.email_verified')
        hold(list(answer, 'data.abilities').includes('user'), 'The abilities are not those of the token.')
        momentMs(answer, 'data.created_at')
      },
    'A token record: `id` (integer), `name`, `abilities`, `last_used_at`, `expires_at`, `created_at`, `is_current`.':
      async suite => {
        const answer = succeeds(await suite.user('GET', '/me/tokens'), 200)
        each(answer, 'data', 'id', integer)
        each(answer, 'data', 'name', text)
        each(answer, 'data', 'abilities', list)
        each(answer, 'data', 'created_at', momentMs)
        for (const name of ['last_used_at', 'expires_at']) each(answer, 'data', name, textOrNull)
        const current = each(answer, 'data', 'is_current', flag).filter(Boolean).length
        hold(current === 1, `${current} tokens are the current one.`)
      },
    '`POST /me/tokens`: `name` 1 to 255; `abilities` at least one of `user`, `comments:write`, `tickets:write`, `newsletter:manage`; `admin` is 422.':
      async suite => {
        const name = suite.unique('token')
        for (const abilities of [[], ['admin'], ['no-such-ability']]) {
          isInvalid(await suite.user('POST', '/me/tokens', { name, abilities }))
        }
      },
    '`DELETE /me/tokens/{id}`: own only, else 404.': async suite => {
      const body = { name: suite.unique('token'), abilities: ['user'] }
      const created = succeeds(await suite.user('POST', '/me/tokens', body))
      const token = text(created, 'data.token')
      succeeds(await suite.user('DELETE', `/me/tokens/${integer(created, 'data.id')}`), 200)
      fails(await suite.as(token)('GET', '/me'), 401, 'UNAUTHENTICATED')
      fails(await suite.user('DELETE', '/me/tokens/999999999'), 404, 'NOT_FOUND')
    },
    '`data`: `query`, `total`, `posts` (list items of posts and pages, best match first), `categories` (`id`, `name`, `slug`, matching by name or description, by name, at most 20).':
      async suite => {
        const { word, category } = await family(suite)
        const answer = succeeds(await suite.reader('GET', `/search?q=${word}&per_page=2`), 200)
        equal(answer, 'data.query', word)
        equal(answer, 'data.total', SIBLINGS)
        hold(list(answer, 'data.posts').length === 2, `${answer.request} does not return two posts.`)
        const [, id = ''] = category.name.split(' ')
        const byName = succeeds(await suite.reader('GET', `/search?q=${id}`), 200)
        const ids = each(byName, 'data.categories', 'id', integer)
        hold(ids.includes(category.id), `${byName.request} does not find the category ${category.name}.`)
      },
    'Every word of `q` must match the beginning of a word of title, short description or body text.':
      async suite => {
        const { word } = await family(suite)
        const beginning = word.slice(0, -2)
        const both = succeeds(await suite.reader('GET', `/posts?q=${beginning}%20heading`), 200)
        equal(both, 'pagination.total', SIBLINGS)
        const one = succeeds(await suite.reader('GET', `/posts?q=${word}%20nowhere`), 200)
        equal(one, 'pagination.total', 0)
      },
    "`data`: `location`, `items`; item also has `type` (`custom_link`) and `sort_order`; `target` `_self` (default) or `_blank`; `id` (integer, unique in the menu) and `sort_order` are the service's.":
      async suite => {
        const answer = await menu(suite)
        text(answer, 'data.location')
        each(answer, 'data.items', 'id', integer)
        each(answer, 'data.items', 'sort_order', integer)
        for (const target of each(answer, 'data.items', 'target', text)) {
          hold(['_self', '_blank'].includes(target), `The target of a menu item is ${target}.`)
        }
      },
    'Fixed in code, typed; null or `""` is left out of the public answer, `false` is not.': async suite => {
      const answer = succeeds(await suite.reader('GET', '/settings/public'), 200)
      const data = at(answer, 'data')
      for (const [key, value] of Object.entries(data ?? {})) {
        hold(value !== null && value !== '', `\`${key}\` is empty, and not left out.`)
      }
    },
  },
}
