// The rules of categories: their order, what a change makes of one, what is shown.
import { describe, expect, it } from 'vitest'
import { applyCategoryChange, byName, type CategoryRecord } from '../../shared/categories/category.ts'
import { CategoryChange, CategoryInput } from '../../shared/categories/contract.ts'
import { categoryView } from '../../shared/categories/view.ts'

const category: CategoryRecord = {
  id: 3,
  name: 'Name',
  slug: 'name',
  description: 'About',
  version: 1,
  froms: [''],
  counts: [5],
  structure: 1,
}

describe('the order of categories', () => {
  it('is that of names without case and diacritics, then of ids', () => {
    const names = ['b', 'Éa', 'ea', 'EA', 'Z', 'a', 'Äb', '東', 'ß']
    const sorted = names.map((name, id) => ({ name, id })).sort(byName)
    expect(sorted.map(({ name }) => name)).toEqual(['a', 'Äb', 'b', 'Éa', 'ea', 'EA', 'Z', 'ß', '東'])
  })
})

describe('a change of a category', () => {
  it.each([
    ['the name', { name: 'Other' }],
    ['the slug', { slug: 'other' }],
    ['the description', { description: '' }],
  ])('of %s makes one version more and leaves the rest', (_what, change) => {
    expect(applyCategoryChange(category, change)).toEqual({ ...category, ...change, version: 2 })
  })

  it.each([{}, { name: 'Name' }, { slug: 'name', description: 'About' }, { slug: '' }])(
    'that is none gives the very same: %j',
    change => {
      expect(applyCategoryChange(category, change)).toBe(category)
    },
  )
})

describe('what comes in', () => {
  it('is trimmed where it is a line', () => {
    expect(CategoryInput.parse({ name: ' N ', slug: ' s ', description: ' d ', other: 1 })).toEqual({
      name: 'N',
      slug: 's',
      description: ' d ',
    })
    expect(CategoryInput.parse({ name: 'N' })).toEqual({ name: 'N', description: '' })
  })

  it('is as long as it may be, in code points', () => {
    expect(CategoryInput.safeParse({ name: '🚀'.repeat(100), description: '🚀'.repeat(1000) }).success).toBe(
      true,
    )
    for (const wrong of [
      { name: 'x'.repeat(101) },
      { description: 'x'.repeat(1001) },
      { slug: 'x'.repeat(201) },
    ]) {
      expect(CategoryChange.safeParse(wrong).success).toBe(false)
    }
  })

  it('is null nowhere', () => {
    const parsed = CategoryChange.safeParse({ name: null, slug: null, description: null })
    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual(['name', 'slug', 'description'])
  })
})

describe('what is shown of a category', () => {
  it('has exactly the fields of the contract', () => {
    expect(categoryView(category, 4)).toEqual({
      id: 3,
      name: 'Name',
      slug: 'name',
      description: 'About',
      posts_count: 4,
    })
  })
})
