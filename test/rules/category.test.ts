// The rules of categories: their order, their change, their input and their view.
import { describe, expect, it } from 'vitest'
import {
  applyCategoryChange,
  byName,
  type CategoryRecord,
  categoryView,
} from '../../shared/categories/category.ts'
import { CategoryChange, CategoryInput } from '../../shared/categories/contract.ts'

const category: CategoryRecord = {
  id: 3,
  name: 'Name',
  slug: 'name',
  description: 'About',
  version: 1,
  starts: [''],
  counts: [5],
  shape_version: 1,
}

describe('byName', () => {
  it('sorts by name, ignoring case and diacritics, then by id', () => {
    const names = ['b', 'Éa', 'ea', 'EA', 'Z', 'a', 'Äb', '東', 'ß']
    const sorted = names.map((name, id) => ({ name, id })).sort(byName)
    expect(sorted.map(({ name }) => name)).toEqual(['a', 'Äb', 'b', 'Éa', 'ea', 'EA', 'Z', 'ß', '東'])
  })
})

describe('applyCategoryChange', () => {
  it.each([
    ['the name', { name: 'Other' }],
    ['the slug', { slug: 'other' }],
    ['the description', { description: '' }],
  ])('changes %s and the version, and no other member', (_what, change) => {
    expect(applyCategoryChange(category, change)).toEqual({ ...category, ...change, version: 2 })
  })

  it.each([{}, { name: 'Name' }, { slug: 'name', description: 'About' }, { slug: '' }])(
    'returns the same object for the change %j, which makes no difference',
    change => {
      expect(applyCategoryChange(category, change)).toBe(category)
    },
  )
})

describe('CategoryInput', () => {
  it('trims name and slug, but not the description', () => {
    expect(CategoryInput.parse({ name: ' N ', slug: ' s ', description: ' d ', other: 1 })).toEqual({
      name: 'N',
      slug: 's',
      description: ' d ',
    })
    expect(CategoryInput.parse({ name: 'N' })).toEqual({ name: 'N', description: '' })
  })

  it('limits the length of each member in code points', () => {
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

  it('rejects null for each member', () => {
    const parsed = CategoryChange.safeParse({ name: null, slug: null, description: null })
    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual(['name', 'slug', 'description'])
  })
})

describe('categoryView', () => {
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
