// What a change of a category does to its record.
import { describe, expect, it } from 'vitest'
import { applyCategoryChange, type CategoryRecord } from '../../shared/categories/category.ts'

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

describe('applyCategoryChange', () => {
  it.each([{ name: 'Other' }, { slug: 'other' }, { description: '' }])(
    'changes by %j the version and no other member',
    change => {
      expect(applyCategoryChange(category, change)).toEqual({ ...category, ...change, version: 2 })
    },
  )

  it.each([{}, { name: 'Name' }, { slug: 'name', description: 'About' }, { slug: '' }])(
    'returns the same object for the change %j, which makes no difference',
    change => {
      expect(applyCategoryChange(category, change)).toBe(category)
    },
  )
})
