// "Category".
import { isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import type { Answer } from '../client.ts'
import { createCategory, family, SIBLINGS } from '../records.ts'
import type { Suite } from '../suite.ts'
import { equal, hold, integer } from '../values.ts'

async function familyCategory(suite: Suite): Promise<Answer> {
  const { category } = await family(suite)
  return succeeds(await suite.reader('GET', `/categories/${encodeURIComponent(category.slug)}`), 200)
}

export const CATEGORY_FIELDS: Section = {
  part: 'contract',
  title: 'Category',
  checks: [
    {
      name: 'the `id` of a category is an integer',
      proves: '| `id` | integer | |',
      run: async suite => {
        const { category } = await family(suite)
        hold(integer(await familyCategory(suite), 'data.id') === category.id, 'Another category is returned.')
      },
    },
    {
      name: 'a category without `name` is refused',
      proves: '| `name` | string | required on creation |',
      run: async suite => {
        const { category } = await family(suite)
        equal(await familyCategory(suite), 'data.name', category.name)
        isInvalid(await suite.admin('POST', '/admin/categories', { description: 'Without a name.' }))
      },
    },
    {
      name: 'the `slug` of a category is made from its name',
      proves: '| `slug` | string | auto-generated from `name` when omitted on creation |',
      run: async suite => {
        const { slug, name } = await createCategory(suite)
        hold(slug !== '' && !/\s/.test(slug), `The slug of “${name}” is “${slug}”.`)
        const [, mark = ''] = suite.mark.split(' ')
        hold(slug.includes(mark), `The slug ${slug} is not made from the name “${name}”.`)
        const own = `${slug}-own`
        hold((await createCategory(suite, { slug: own })).slug === own, 'A slug that is given is not used.')
      },
    },
    {
      name: 'the `description` of a category reads back',
      proves: '| `description` | string | |',
      run: async suite =>
        equal(await familyCategory(suite), 'data.description', 'What the posts of the suite share.'),
    },
    {
      name: '`posts_count` counts published posts only',
      proves: '| `posts_count` | integer | counts published posts only (public reads) |',
      run: async suite => {
        const count = integer(await familyCategory(suite), 'data.posts_count')
        hold(count === SIBLINGS, `\`posts_count\` is ${count}: ${SIBLINGS} posts are live, 2 are not.`)
        const { slug } = await createCategory(suite)
        const answer = succeeds(await suite.reader('GET', `/categories/${slug}`), 200)
        hold(integer(answer, 'data.posts_count') === 0, 'A new category has posts.')
      },
    },
  ],
}
