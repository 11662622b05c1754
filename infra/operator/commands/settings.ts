// The site's settings, typed as the API types them.
import { z } from 'zod'
import { type SettingKey, Settings, SettingsChange, settingItems } from '../../../shared/site/settings.ts'
import { readSettings, saveSettings } from '../../../shared/site/store.ts'
import { command, UsageError, value } from '../command.ts'
import { nearest } from '../nearest.ts'

const KEYS = Settings.keyof().options

const Key = z.string('Is required.').transform((text, context): SettingKey => {
  const key = KEYS.find(known => known === text)
  if (key) return key
  const meant = nearest(text, KEYS)
  const known = meant.length > 0 ? ` Near it: ${meant.join(', ')}.` : ''
  context.addIssue(`There is no setting "${text}".${known} All of them: settings get`)
  return z.NEVER
})
const KEY = value('KEY', 'the dotted name of a setting', Key)

/** As the setting's type reads it: a text as it stands, else a number or a truth. Throws UsageError. */
const changeFrom = (key: SettingKey, text: string): SettingsChange => {
  const readings = [text, ...(/^-?\d+$/.test(text) ? [Number(text)] : []), ...(TRUTHS.get(text) ?? [])]
  const results = readings.map(reading => SettingsChange.safeParse({ [key]: reading }))
  const change = results.find(({ success }) => success)?.data
  if (change) return change
  const said = results.flatMap(({ error }) => error?.issues ?? []).map(({ message }) => message)
  throw new UsageError(`${key}: ${said.at(-1)}`)
}

const TRUTHS = new Map([
  ['true', [true]],
  ['false', [false]],
])

type Item = ReturnType<typeof settingItems>[number]

const lineOf = ({ key, value }: Item): string => `${key}\t${value === null ? '(unset)' : value}`

const result = (items: Item[]) => ({ lines: items.map(lineOf), json: items })
const onlyOf = (settings: Settings, key: SettingKey) =>
  settingItems(settings).filter(item => item.key === key)

const get = command({
  name: 'settings get',
  summary: 'One setting, or all of them, with what holds where nothing is set',
  args: { key: value('KEY', 'the dotted name of a setting', Key.optional()) },
  run: async ({ key }, { target }) => {
    const settings = await readSettings(target.table)
    return result(key ? onlyOf(settings, key) : settingItems(settings))
  },
})

const set = command({
  name: 'settings set',
  summary: 'Sets a setting; it acts everywhere within five seconds',
  args: {
    key: KEY,
    value: value('VALUE', 'a text, a whole number, true or false', z.string('Is required.')),
  },
  run: async ({ key, value: text }, { target }) =>
    result(onlyOf(await saveSettings(target.table, changeFrom(key, text)), key)),
})

const unset = command({
  name: 'settings unset',
  summary: 'Takes a setting back to its default',
  args: { key: KEY },
  run: async ({ key }, { target }) => result(onlyOf(await saveSettings(target.table, { [key]: null }), key)),
})

export const settingsCommands = [get, set, unset]
