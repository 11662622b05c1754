// "Category", and "Admin endpoints" of categories.
import { type Answer, absent, at, equal, fails, hold, isInvalid, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { createCategory, createLivePost, family, SIBLINGS } from '../records.ts'
import type { Suite } from '../suite.ts'
import { each, integer, itemsOf, list, text } from '../values.ts'

async function familyCategory(suite: Suite): Promise<Answer> {
  const { category } = await family(suite)
  return succeeds(await suite.reader('GET', `/categories/${encodeURIComponent(category.slug)}`), 200)
}

export const CATEGORY_FIELDS: Section = {
  part: 'contract',
  title: 'Category',
  checks: {
    '| `id` | integer | |': async suite => {
      const { category } = await family(suite)
      hold(integer(await familyCategory(suite), 'data.id') === category.id, 'Another category is returned.')
    },
    '| `name` | string | required on creation |': async suite => {
      const { category } = await family(suite)
      equal(await familyCategory(suite), 'data.name', category.name)
      isInvalid(await suite.admin('POST', '/admin/categories', { description: 'Without a name.' }))
    },
    '| `slug` | string | auto-generated from `name` when omitted on creation |': async suite => {
      const { slug, name } = await createCategory(suite)
      hold(slug !== '' && !/\s/.test(slug), `The slug of “${name}” is “${slug}”.`)
      const [, mark = ''] = suite.mark.split(' ')
      hold(slug.includes(mark), `The slug ${slug} is not made from the name “${name}”.`)
      const own = `${slug}-own`
      hold((await createCategory(suite, { slug: own })).slug === own, 'A slug that is given is not used.')
    },
    '| `description` | string | |': async suite =>
      equal(await familyCategory(suite), 'data.description', 'What the posts of the suite share.'),
    '| `posts_count` | integer | counts published posts only (public reads) |': async suite => {
      const count = integer(await familyCategory(suite), 'data.posts_count')
      hold(count === SIBLINGS, `\`posts_count\` is ${count}: ${SIBLINGS} posts are live, 2 are not.`)
      const { slug } = await createCategory(suite)
      const answer = succeeds(await suite.reader('GET', `/categories/${slug}`), 200)
      hold(integer(answer, 'data.posts_count') === 0, 'A new category has posts.')
    },
  },
}

export const ADMIN_CATEGORIES: Section = {
  part: 'contract',
  title: 'Admin endpoints of categories',
  checks: {
    '| GET | `/api/v1/admin/categories` | none | all categories, no pagination |': async suite => {
      const { category } = await family(suite)
      const answer = succeeds(await suite.admin('GET', '/admin/categories'), 200)
      absent(answer, 'pagination')
      const item = itemsOf(answer, 'data').find(path => at(answer, `${path}.id`) === category.id)
      hold(item !== undefined, `${answer.request} does not list the category ${category.slug}.`)
      equal(answer, `${item}.name`, category.name)
    },
    '| POST | `/api/v1/admin/categories` | `name` (required), `slug`, `description` | created category |':
      async suite => {
        const [name, description] = [suite.unique('category'), 'A description.']
        const slug = suite.unique('slug').toLowerCase().replaceAll(' ', '-')
        const body = { name, slug, description }
        const answer = succeeds(await suite.admin('POST', '/admin/categories', body), 200, 201)
        for (const [member, value] of Object.entries(body)) equal(answer, `data.${member}`, value)
        isInvalid(await suite.admin('POST', '/admin/categories', { slug: `${slug}-2` }))
      },
    '| GET | `/api/v1/admin/categories/{id}` | numeric id | category |': async suite => {
      const { category } = await family(suite)
      const answer = succeeds(await suite.admin('GET', `/admin/categories/${category.id}`), 200)
      equal(answer, 'data.slug', category.slug)
      fails(await suite.admin('GET', '/admin/categories/999999999'), 404, 'NOT_FOUND')
    },
    '| PATCH | `/api/v1/admin/categories/{id}` | any subset of fields | updated category |': async suite => {
      const { id, name, slug } = await createCategory(suite, { description: 'Old.' })
      const path = `/admin/categories/${id}`
      const changed = succeeds(await suite.admin('PATCH', path, { description: 'New.' }), 200)
      equal(changed, 'data.description', 'New.')
      const read = succeeds(await suite.reader('GET', `/categories/${slug}`), 200)
      equal(read, 'data.name', name)
      equal(read, 'data.description', 'New.')
    },
    '| DELETE | `/api/v1/admin/categories/{id}` | none | category removed; attached posts remain, only the association is dropped |':
      async suite => {
        const [removed, kept] = [await createCategory(suite), await createCategory(suite)]
        const post = await createLivePost(suite, { category_ids: [removed.id, kept.id] })
        succeeds(await suite.admin('DELETE', `/admin/categories/${removed.id}`))
        fails(await suite.reader('GET', `/categories/${removed.slug}`), 404, 'NOT_FOUND')
        fails(await suite.admin('GET', `/admin/categories/${removed.id}`), 404, 'NOT_FOUND')
        const read = succeeds(await suite.reader('GET', `/posts/${post.slug}`), 200)
        const ids = each(read, 'data.categories', 'id', integer)
        hold(`${ids}` === `${kept.id}`, `The post has the categories ${ids}, and not ${kept.id} alone.`)
        const ofOther = succeeds(await suite.reader('GET', `/categories/${kept.slug}/posts`), 200)
        hold(list(ofOther, 'data').length === 1, 'The post is not in the list of its other category.')
        hold(text(ofOther, 'data.0.slug') === post.slug, 'Another post is in the list of its other category.')
      },
  },
}
