// Commands that show and change the settings of the site, with the types of the API.
import * as z from 'zod/mini'
import { saveSettings } from '../../../shared/site/commands.ts'
import { type SettingKey, Settings, SettingsChange, settingItems } from '../../../shared/site/settings.ts'
import { readSettings } from '../../../shared/site/store.ts'
import { command, flag, optionalText, value } from '../command.ts'

const Key = z.enum(z.keyof(Settings).options, {
  error: ({ input }) =>
    input === undefined ? 'Is required.' : `There is no setting "${input}". List all settings: settings get`,
})
const KEY = value('KEY', 'dotted name of a setting, such as site.url or site.preview_url', Key)

/** Tries the text as it is, as a whole number and as a boolean; the setting's type accepts one of them. */
function changeFrom(key: SettingKey, text: string) {
  const candidates: unknown[] = [text]
  if (/^-?\d+$/.test(text)) candidates.push(Number(text))
  if (text === 'true' || text === 'false') candidates.push(text === 'true')
  const results = candidates.map(value => SettingsChange.safeParse({ [key]: value }))
  return results.find(({ success }) => success) ?? results.at(-1)
}

function resultOf(settings: Settings, key: SettingKey | undefined) {
  const items = settingItems(settings).filter(item => key === undefined || item.key === key)
  return {
    lines: items.map(({ key, value }) => [key, value ?? '(unset)']),
    json: items,
  }
}

const get = command({
  name: 'settings get',
  summary: 'Show one setting, or all of them; those that are unset show their default',
  args: { key: value('KEY', 'dotted name of a setting', z.optional(Key)) },
  run: async ({ key }, { target }) => resultOf(await readSettings(target.table), key),
})

const WARNINGS: Partial<Record<SettingKey, string>> = {
  'auth.token_lifetime_minutes':
    'Every token that is older has expired, including admin tokens. If yours is among them, run: token create',
}

const set = command({
  name: 'settings set',
  summary: 'Set a setting, or reset it to its default with --unset; it takes effect within five seconds',
  args: {
    key: KEY,
    value: optionalText('VALUE', 'a text, a whole number, true or false'),
  },
  options: { unset: flag('reset it to its default') },
  problemOf: ({ key, value, unset }) => {
    if ((value === undefined) !== unset) return 'Name either a VALUE, or pass --unset.'
    const [issue] = (value !== undefined && changeFrom(key, value)?.error?.issues) || []
    return issue && `${key}: ${issue.message}`
  },
  run: async ({ key, value }, { target }) => {
    const change = value === undefined ? { [key]: null } : changeFrom(key, value)?.data
    const settings = await saveSettings(target.table, change ?? {})
    return { ...resultOf(settings, key), warning: value === undefined ? undefined : WARNINGS[key] }
  },
})

export const SETTINGS_COMMANDS = [get, set]
