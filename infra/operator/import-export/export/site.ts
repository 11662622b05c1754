// Exports what belongs to the whole site: settings, menus, categories and subscriptions.
import { listCategories } from '../../../../shared/categories/store/categories.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import type { MenuItem } from '../../../../shared/site/menu.ts'
import { withoutNewer } from '../../../../shared/site/settings.ts'
import { listMenus } from '../../../../shared/site/store/menus.ts'
import { SettingsRecord } from '../../../../shared/site/store/settings.ts'
import type { Table } from '../../../../shared/table/client.ts'
import { settingsKey, webhookKey } from '../../../../shared/table/design.ts'
import { listFanOutEntries } from '../../../../shared/webhooks/store/webhooks.ts'
import { WebhookRecord } from '../../../../shared/webhooks/webhook.ts'
import type { ExportLine } from '../format.ts'
import type { Step } from './step.ts'

async function readSettingsLine(table: Table): Promise<ExportLine[]> {
  const stored = await table.find(settingsKey, SettingsRecord)
  return stored ? [{ type: 'settings', values: withoutNewer(stored.values) }] : []
}

type MenuLine = Extract<ExportLine, { type: 'menu' }>

async function readMenus(table: Table): Promise<ExportLine[]> {
  const menus = await listMenus(table)
  return menus.map(({ location, items }): MenuLine => ({ type: 'menu', location, items: items.map(linkOf) }))
}

function linkOf({ label, url, target, children }: MenuItem): MenuLine['items'][number] {
  return { label, url, target, children: children.map(linkOf) }
}

async function readCategories(table: Table): Promise<ExportLine[]> {
  const categories = (await listCategories(table)).sort((a, b) => a.id - b.id)
  return categories.map(({ id, name, slug, description, version }) => ({
    type: 'category',
    id,
    name,
    slug,
    description,
    version,
  }))
}

async function readWebhooks(table: Table): Promise<ExportLine[]> {
  const keys = (await listFanOutEntries(table)).map(({ owner_id, id }) => webhookKey(owner_id, id))
  const webhooks = (await table.findMany(keys)).map(item => WebhookRecord.parse(item))
  return webhooks
    .sort((a, b) => a.id - b.id)
    .map(({ id, owner_id, name, url, events, is_active, created_at }) => ({
      type: 'webhook',
      id,
      owner_id,
      name,
      url,
      events,
      is_active,
      created_at: isoTime(created_at),
    }))
}

export const SETTINGS_STEP: Step = { name: 'settings', read: readSettingsLine }
export const MENUS_STEP: Step = { name: 'menus', read: readMenus }
export const CATEGORIES_STEP: Step = { name: 'categories', read: readCategories }
export const WEBHOOKS_STEP: Step = { name: 'subscriptions', read: readWebhooks }
