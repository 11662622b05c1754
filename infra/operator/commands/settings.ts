// Commands that show and change the settings of the site, with the types of the API.
import * as z from 'zod/mini'
import { saveSettings } from '../../../shared/site/commands/settings.ts'
import { type SettingKey, Settings, SettingsChange, settingItems } from '../../../shared/site/settings.ts'
import { readSettings } from '../../../shared/site/store/settings.ts'
import { command, value } from '../command.ts'
import { columns } from '../escape.ts'
import { nearest } from '../nearest.ts'

const KEYS = z.keyof(Settings).options

const Key = z.pipe(
  z.string('Is required.'),
  z.transform((text, context): SettingKey => {
    const key = KEYS.find(name => name === text)
    if (key) return key
    const similar = nearest(text, KEYS)
    const hint = similar.length > 0 ? ` Did you mean: ${similar.join(', ')}?` : ''
    const message = `There is no setting "${text}".${hint} List all settings: settings get`
    context.issues.push({ code: 'custom', input: text, message })
    return z.NEVER
  }),
)
const KEY = value('KEY', 'dotted name of a setting', Key)

/** Tries the text as it is, as a whole number and as a boolean; the setting's type accepts one of them. */
function changeFrom(key: SettingKey, text: string) {
  const candidates: unknown[] = [text]
  if (/^-?\d+$/.test(text)) candidates.push(Number(text))
  if (text === 'true' || text === 'false') candidates.push(text === 'true')
  const results = candidates.map(value => SettingsChange.safeParse({ [key]: value }))
  return results.find(({ success }) => success) ?? results.at(-1)
}

type Item = ReturnType<typeof settingItems>[number]

function lineOf({ key, value }: Item): string {
  return columns([key, value === null ? '(unset)' : value])
}

function resultOf(items: Item[]) {
  return { lines: items.map(lineOf), json: items }
}

function itemOf(settings: Settings, key: SettingKey) {
  return settingItems(settings).filter(item => item.key === key)
}

const get = command({
  name: 'settings get',
  summary: 'Show one setting, or all of them; those that are unset show their default',
  args: { key: value('KEY', 'dotted name of a setting', z.optional(Key)) },
  run: async ({ key }, { target }) => {
    const settings = await readSettings(target.table)
    return resultOf(key ? itemOf(settings, key) : settingItems(settings))
  },
})

const WARNINGS: Partial<Record<SettingKey, string>> = {
  'auth.token_lifetime_minutes':
    'Every token that is older has expired, including admin tokens. If yours is among them, run: token create',
}

const set = command({
  name: 'settings set',
  summary: 'Set a setting; it takes effect everywhere within five seconds',
  args: {
    key: KEY,
    value: value('VALUE', 'a text, a whole number, true or false', z.string('Is required.')),
  },
  problemOf: ({ key, value }) => {
    const [issue] = changeFrom(key, value)?.error?.issues ?? []
    return issue && `${key}: ${issue.message}`
  },
  run: async ({ key, value }, { target }) => {
    const settings = await saveSettings(target.table, changeFrom(key, value)?.data ?? {})
    return { ...resultOf(itemOf(settings, key)), warning: WARNINGS[key] }
  },
})

const unset = command({
  name: 'settings unset',
  summary: 'Reset a setting to its default',
  args: { key: KEY },
  run: async ({ key }, { target }) =>
    resultOf(itemOf(await saveSettings(target.table, { [key]: null }), key)),
})

export const SETTINGS_COMMANDS = [get, set, unset]
