// The front matter of a Markdown file: YAML, TOML or JSON above the text.
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export type FrontMatter = { members: Record<string, unknown>; text: string }

const YAML = /^---[ \t]*\n(?<head>[\s\S]*?\n)??---[ \t]*(?:\n|$)/
const TOML = /^\+\+\+[ \t]*\n(?<head>[\s\S]*?\n)??\+\+\+[ \t]*(?:\n|$)/
/** A JSON object that ends with a brace in the first column, as Hugo writes it. */
const JSON_OBJECT = /^(?<head>\{\n[\s\S]*?\n\})[ \t]*(?:\n|$)/

const FORMS: [RegExp, (head: string) => unknown][] = [
  [YAML, head => parseYaml(head)],
  [TOML, head => parseToml(head)],
  [JSON_OBJECT, head => JSON.parse(head)],
]

/** Throws if the front matter cannot be read. */
export function readFrontMatter(file: string): FrontMatter {
  const text = file.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  for (const [form, parse] of FORMS) {
    const match = form.exec(text)
    if (!match) continue
    const parsed = parse(match.groups?.head ?? '')
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return { members: isObject ? { ...parsed } : {}, text: text.slice(match[0].length) }
  }
  return { members: {}, text }
}

/** The first of these members with a text; numbers count as texts. */
export function textOf(members: Record<string, unknown>, ...names: string[]): string {
  for (const name of names) {
    const value = members[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return String(value)
  }
  return ''
}

/** A list of texts, or a text of words as Jekyll allows. */
export function textsOf(members: Record<string, unknown>, ...names: string[]): string[] {
  return names.flatMap(name => {
    const value = members[name]
    if (typeof value === 'string') {
      return value.split(value.includes(',') ? ',' : /\s+/).map(part => part.trim())
    }
    return Array.isArray(value) ? value.filter(part => typeof part === 'string').map(part => part.trim()) : []
  })
}
