// Imports what belongs to the whole site: settings, menus, categories, accounts and subscriptions.
import { randomBytes } from 'node:crypto'
import { changeUser, creationActions } from '../../../../shared/accounts/commands/users.ts'
import { findUserIdByEmail } from '../../../../shared/accounts/store/users.ts'
import { changedProfile, listEntriesOf, type User } from '../../../../shared/accounts/user.ts'
import { categoryCreation, changeCategory } from '../../../../shared/categories/commands.ts'
import { findCategoryIdBySlug } from '../../../../shared/categories/store.ts'
import { invalid } from '../../../../shared/http/errors.ts'
import { changedMenu, menuActions, saveMenu } from '../../../../shared/site/commands/menus.ts'
import { saveSettings, settingsAction } from '../../../../shared/site/commands/settings.ts'
import { menuFrom } from '../../../../shared/site/menu.ts'
import { changedSettings } from '../../../../shared/site/settings.ts'
import { MenuRecord } from '../../../../shared/site/store/menus.ts'
import { forgetSettings, SettingsRecord } from '../../../../shared/site/store/settings.ts'
import { ConditionFailed } from '../../../../shared/table/action.ts'
import { packText } from '../../../../shared/table/blob.ts'
import { categoryKey, fanOutKey, menuKey, settingsKey, userKey } from '../../../../shared/table/design.ts'
import { subscriptionActions } from '../../../../shared/webhooks/commands/webhooks.ts'
import { newSecret, sealSecret } from '../../../../shared/webhooks/secret.ts'
import { checkUrl, newWebhook } from '../../../../shared/webhooks/webhook.ts'
import type { RecordOf } from '../format.ts'
import { idOf, type Writer } from './job.ts'

/** Settings that are set here stay as they are, unless they are updated. */
export const SETTINGS: Writer<RecordOf<'settings'>> = {
  keyOf: () => settingsKey,
  create: async ({ table }, { record }, _, commit) => {
    const stored = await table.find(settingsKey, SettingsRecord)
    const values = changedSettings(record.values, stored?.values ?? {})
    await commit({
      actions: [settingsAction(values, stored)],
      public: { raised: 'names', notes: [{ kind: 'settings' }] },
    })
  },
  update: async ({ table }, { record }) => {
    await saveSettings(table, record.values)
  },
  complete: async ({ table }) => forgetSettings(table),
}

export const MENUS: Writer<RecordOf<'menu'>> = {
  keyOf: ({ location }) => menuKey(location),
  find: async ({ table }, { location }) => {
    const menu = await table.find(menuKey(location), MenuRecord)
    return menu && { id: 0, reason: 'There is a menu at this location.' }
  },
  create: async ({ table, nowMs }, { record: { location, items } }, _, commit) => {
    const menu = menuFrom(location, { items })
    const packed = await packText(table, JSON.stringify(menu), nowMs())
    await commit({
      actions: menuActions(menu, packed, undefined, nowMs()),
      public: changedMenu(location),
    }).catch(error => {
      const isFull = error instanceof ConditionFailed && error.reasons.includes('full')
      throw isFull ? invalid({ items: ['All menus together are too large.'] }) : error
    })
  },
  update: async ({ work }, { record: { location, items } }) => {
    await saveMenu(work(), menuFrom(location, { items }))
  },
}

/** `If-Match` of a request: an import expects no version. */
export function anyVersion() {
  return undefined
}

export const CATEGORIES: Writer<RecordOf<'category'>> = {
  counter: 'category',
  keyOf: ({ id }) => categoryKey(id),
  find: async ({ table }, { slug }) => {
    const id = await findCategoryIdBySlug(table, slug)
    return id === undefined ? undefined : { id, reason: 'There is a category with this slug.' }
  },
  create: async ({ table }, { record }, id, commit) => {
    const { name, slug, description, version } = record
    await commit(await categoryCreation(table, { id, name, slug, description, version }))
  },
  update: async ({ work }, { record: { name, slug, description } }, id) => {
    await changeCategory(work(), { id, requireMatch: anyVersion }, { name, slug, description })
  },
}

/** Accounts, without tokens. An account that is here already stays as it is. */
export const USERS: Writer<RecordOf<'user'>> = {
  counter: 'user',
  keyOf: ({ id }) => userKey(id),
  find: async ({ table }, { email }) => {
    const id = await findUserIdByEmail(table, email)
    return id === undefined ? undefined : { id, reason: 'There is an account with this address.' }
  },
  create: async (_, { record }, id, commit) => {
    const { type, password_hash, wants_newsletter, ...members } = record
    const user: User = { ...members, id, first_valid_token: 0, revision: 1 }
    if (wants_newsletter !== undefined) user.wants_newsletter = wants_newsletter
    await commit({
      actions: creationActions(user, password_hash ?? null),
      lists: { after: listEntriesOf(user) },
    })
  },
  /** Never the address or the password, which only the owner of the account may change. */
  update: async ({ table }, { record: { name, bio, avatar } }, id) => {
    await changeUser(table, id, user => changedProfile(user, { name, bio, avatar }))
  },
}

/** An export has no secrets, so each subscription gets a new one and is paused until that is known. */
export const WEBHOOKS: Writer<RecordOf<'webhook'>> = {
  counter: 'webhook',
  keyOf: ({ id }) => fanOutKey(id),
  create: async (job, { record }, id, commit) => {
    const { target } = job.context
    const ownerId = idOf(job, 'user', record.owner_id, 'Its user was not imported.')
    const faults = checkUrl(record, { allowLoopback: target.stage === undefined, allowedHosts: [] })
    if (Object.keys(faults).length > 0) throw invalid(faults)
    const sealedSecret = sealSecret({ PRIVATE_KEY: await target.privateKey() }, id, newSecret(randomBytes))
    const webhook = newWebhook(record, { id, ownerId, sealedSecret, nowMs: job.nowMs() })
    const { created_at } = record
    await commit({ actions: subscriptionActions({ ...webhook, is_active: false, created_at }) }).catch(
      error => {
        const isFull = error instanceof ConditionFailed && error.reasons.includes('too many')
        throw isFull ? invalid({ owner_id: ['Has the most subscriptions that are allowed.'] }) : error
      },
    )
  },
}
