// The site's settings, typed as the API types them.
import * as z from 'zod/mini'
import { saveSettings } from '../../../shared/site/commands/settings.ts'
import { type SettingKey, Settings, SettingsChange, settingItems } from '../../../shared/site/settings.ts'
import { readSettings } from '../../../shared/site/store/settings.ts'
import { command, value } from '../command.ts'
import { nearest } from '../nearest.ts'
import { columns } from '../printable.ts'

const KEYS = z.keyof(Settings).options

const Key = z.pipe(
  z.string('Is required.'),
  z.transform((text, context): SettingKey => {
    const key = KEYS.find(known => known === text)
    if (key) return key
    const meant = nearest(text, KEYS)
    const known = meant.length > 0 ? ` Near it: ${meant.join(', ')}.` : ''
    const message = `There is no setting "${text}".${known} All of them: settings get`
    context.issues.push({ code: 'custom', input: text, message })
    return z.NEVER
  }),
)
const KEY = value('KEY', 'the dotted name of a setting', Key)

/** As the setting's type reads it: a text as it stands, else a whole number or a truth. */
function changeFrom(key: SettingKey, text: string) {
  const readings: unknown[] = [text]
  if (/^-?\d+$/.test(text)) readings.push(Number(text))
  if (text === 'true' || text === 'false') readings.push(text === 'true')
  const results = readings.map(value => SettingsChange.safeParse({ [key]: value }))
  return results.find(({ success }) => success) ?? results.at(-1)
}

type Item = ReturnType<typeof settingItems>[number]

function lineOf({ key, value }: Item): string {
  return columns([key, value === null ? '(unset)' : value])
}

function result(items: Item[]) {
  return { lines: items.map(lineOf), json: items }
}

function onlyOf(settings: Settings, key: SettingKey) {
  return settingItems(settings).filter(item => item.key === key)
}

const get = command({
  name: 'settings get',
  summary: 'One setting, or all of them, with what holds where nothing is set',
  args: { key: value('KEY', 'the dotted name of a setting', z.optional(Key)) },
  run: async ({ key }, { target }) => {
    const settings = await readSettings(target.table)
    return result(key ? onlyOf(settings, key) : settingItems(settings))
  },
})

/** What a value does beyond its name, to the owner too. */
const WARNINGS: Partial<Record<SettingKey, string>> = {
  'auth.token_lifetime_minutes':
    'Every token that is older is void from now on, admin tokens too. Where yours is among them: token create.',
}

const set = command({
  name: 'settings set',
  summary: 'Sets a setting; it acts everywhere within five seconds',
  args: {
    key: KEY,
    value: value('VALUE', 'a text, a whole number, true or false', z.string('Is required.')),
  },
  faultOf: ({ key, value }) => {
    const [issue] = changeFrom(key, value)?.error?.issues ?? []
    return issue && `${key}: ${issue.message}`
  },
  run: async ({ key, value }, { target }) => {
    const settings = await saveSettings(target.table, changeFrom(key, value)?.data ?? {})
    return { ...result(onlyOf(settings, key)), warning: WARNINGS[key] }
  },
})

const unset = command({
  name: 'settings unset',
  summary: 'Takes a setting back to its default',
  args: { key: KEY },
  run: async ({ key }, { target }) => result(onlyOf(await saveSettings(target.table, { [key]: null }), key)),
})

export const SETTINGS_COMMANDS = [get, set, unset]
