// "Admin endpoints" of categories.
import { fails, isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { createCategory, createPost, family, inMs } from '../records.ts'
import { absent, at, each, equal, hold, integer, itemsOf, list, text } from '../values.ts'

export const ADMIN_CATEGORIES: Section = {
  part: 'contract',
  title: 'Admin endpoints of categories',
  checks: [
    {
      name: 'GET /admin/categories lists all categories without pagination',
      proves: '| GET | `/api/v1/admin/categories` | none | all categories, no pagination |',
      run: async suite => {
        const { category } = await family(suite)
        const answer = succeeds(await suite.admin('GET', '/admin/categories'), 200)
        absent(answer, 'pagination')
        const item = itemsOf(answer, 'data').find(path => at(answer, `${path}.id`) === category.id)
        hold(item !== undefined, `${answer.request} does not list the category ${category.slug}.`)
        equal(answer, `${item}.name`, category.name)
      },
    },
    {
      name: 'POST /admin/categories returns the created category',
      proves:
        '| POST | `/api/v1/admin/categories` | `name` (required), `slug`, `description` | created category |',
      run: async suite => {
        const [name, description] = [suite.unique('category'), 'A description.']
        const slug = suite.unique('slug').toLowerCase().replaceAll(' ', '-')
        const body = { name, slug, description }
        const answer = succeeds(await suite.admin('POST', '/admin/categories', body), 200, 201)
        for (const [member, value] of Object.entries(body)) equal(answer, `data.${member}`, value)
        isInvalid(await suite.admin('POST', '/admin/categories', { slug: `${slug}-2` }))
      },
    },
    {
      name: 'GET /admin/categories/{id} returns a category by its number',
      proves: '| GET | `/api/v1/admin/categories/{id}` | numeric id | category |',
      run: async suite => {
        const { category } = await family(suite)
        const answer = succeeds(await suite.admin('GET', `/admin/categories/${category.id}`), 200)
        equal(answer, 'data.slug', category.slug)
        fails(await suite.admin('GET', '/admin/categories/999999999'), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'PATCH /admin/categories/{id} changes what it is given, and nothing else',
      proves: '| PATCH | `/api/v1/admin/categories/{id}` | any subset of fields | updated category |',
      run: async suite => {
        const { id, name, slug } = await createCategory(suite, { description: 'Old.' })
        const path = `/admin/categories/${id}`
        equal(
          succeeds(await suite.admin('PATCH', path, { description: 'New.' }), 200),
          'data.description',
          'New.',
        )
        const read = succeeds(await suite.reader('GET', `/categories/${slug}`), 200)
        equal(read, 'data.name', name)
        equal(read, 'data.description', 'New.')
      },
    },
    {
      name: 'DELETE /admin/categories/{id} keeps the posts, and drops the association',
      proves:
        '| DELETE | `/api/v1/admin/categories/{id}` | none | category removed; attached posts remain, only the association is dropped |',
      run: async suite => {
        const [removed, kept] = [await createCategory(suite), await createCategory(suite)]
        const live = { is_published: true, posted_at: inMs(-60_000) }
        const post = await createPost(suite, { ...live, category_ids: [removed.id, kept.id] })
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
  ],
}
