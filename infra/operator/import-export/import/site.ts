// Imports what belongs to the whole site: settings, menus and categories.
import { changeCategory } from '../../../../shared/categories/commands/change.ts'
import { categoryCreation } from '../../../../shared/categories/commands/create.ts'
import { findCategoryIdBySlug } from '../../../../shared/categories/store/categories.ts'
import { changedMenu, menuActions, saveMenu } from '../../../../shared/site/commands/menus.ts'
import { saveSettings, settingsAction } from '../../../../shared/site/commands/settings.ts'
import { menuFrom } from '../../../../shared/site/menu.ts'
import { changedSettings } from '../../../../shared/site/settings.ts'
import { MenuRecord } from '../../../../shared/site/store/menus.ts'
import { forgetSettings, SettingsRecord } from '../../../../shared/site/store/settings.ts'
import { categoryKey, menuKey, settingsKey } from '../../../../shared/table/design.ts'
import { packText } from '../../../../shared/table/large-text.ts'
import type { CategoryItem, MenuItem, SettingsItem } from '../item.ts'
import type { Maker } from './maker.ts'

/** Settings that are set here stay as they are, unless they are updated. */
export const SETTINGS: Maker<SettingsItem> = {
  change: async ({ table }, { value }) => {
    const stored = await table.find(settingsKey, SettingsRecord)
    const values = changedSettings(value.values, stored?.values ?? {})
    return {
      actions: [settingsAction(values, stored)],
      public: { raised: 'names', notes: [{ kind: 'settings' }] },
    }
  },
  complete: async ({ table }) => forgetSettings(table),
  update: async ({ table }, { value }) => {
    await saveSettings(table, value.values)
  },
}

export const MENUS: Maker<MenuItem> = {
  find: async ({ table }, { value: { location } }) => {
    const menu = await table.find(menuKey(location), MenuRecord)
    return menu && { id: 0, reason: 'There is a menu at this location.' }
  },
  change: async ({ table, nowMs }, { value: { location, items } }) => {
    const menu = menuFrom(location, { items })
    const packed = await packText(table, JSON.stringify(menu), nowMs())
    return { actions: menuActions(menu, packed, undefined, nowMs()), public: changedMenu(location) }
  },
  update: async ({ work }, { value: { location, items } }) => {
    await saveMenu(work(), menuFrom(location, { items }))
  },
}

/** `If-Match` of a request: an import expects no version. */
function anyVersion() {
  return undefined
}

export const CATEGORIES: Maker<CategoryItem> = {
  counter: 'category',
  keyOf: categoryKey,
  find: async ({ table }, { value: { slug } }) => {
    const id = await findCategoryIdBySlug(table, slug)
    return id === undefined ? undefined : { id, reason: 'There is a category with this slug.' }
  },
  change: ({ table }, { value }, id) => categoryCreation(table, { id, ...value }),
  update: async ({ work }, { value: { name, slug, description } }, id) => {
    await changeCategory(work(), { id, requireMatch: anyVersion }, { name, slug, description })
  },
}
