// The command that sets a setting of the site, with the types of the API: also before there is an admin, and
// for those who shut themselves out.
import * as z from 'zod/mini'
import { saveSettings } from '../../../shared/site/commands.ts'
import { type SettingKey, Settings, SettingsChange, settingItems } from '../../../shared/site/settings.ts'
import { command, flag, optionalText, value } from '../command.ts'

const KEYS = z.keyof(Settings).options
const Key = z.enum(KEYS, {
  error: ({ input }) =>
    input === undefined ? 'Is required.' : `There is no setting "${input}". There are: ${KEYS.join(', ')}.`,
})

/** Tries the text as it is, as a whole number and as a boolean; the setting's type accepts one of them. */
function changeFrom(key: SettingKey, text: string) {
  const candidates: unknown[] = [text]
  if (/^-?\d+$/.test(text)) candidates.push(Number(text))
  if (text === 'true' || text === 'false') candidates.push(text === 'true')
  const results = candidates.map(value => SettingsChange.safeParse({ [key]: value }))
  return results.find(({ success }) => success) ?? results.at(-1)
}

export const settingsSet = command({
  name: 'settings set',
  summary: 'Set a setting, or reset it to its default with --unset; it takes effect within five seconds',
  args: {
    key: value('KEY', 'dotted name of a setting, such as site.url or site.preview_url', Key),
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
    const items = settingItems(settings).filter(item => item.key === key)
    return { lines: items.map(({ value }) => [key, value ?? '(unset)']), json: items }
  },
})
