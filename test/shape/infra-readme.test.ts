// Checks that infra/README.md names every file of the stack, every context value and every parameter.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Context } from '../../infra/stage-settings.ts'
import { readTemplate } from './template.ts'

const folder = new URL('../../infra/', import.meta.url)
const text = readFileSync(new URL('README.md', folder), 'utf8')

const { parameters } = readTemplate()

type Row = { name: string; value: string; meaning: string }

/** The rows of the table with this first heading. A row may have several names, with a default for each. */
function rowsOf(heading: string): Row[] {
  const [, table = ''] = text.split(`\n| ${heading} |`)
  const [body = ''] = table.split('\n\n')
  return body
    .split('\n')
    .slice(2)
    .flatMap(line => {
      const [, names = '', values = '', meaning = ''] = line.split('|').map(cell => cell.trim())
      const defaults = values.split(', ')
      return names.split(', ').map((name, n) => ({
        name: name.replaceAll('`', ''),
        value: (defaults[n] ?? defaults[0] ?? '').replaceAll('`', ''),
        meaning,
      }))
    })
}

describe('infra/README.md', () => {
  it('links every file of the stack once', () => {
    const files = readdirSync(folder).filter(name => /\.(?:ts|cjs)$/.test(name))
    const linked = [...text.matchAll(/\]\((\w[\w-]*\.(?:ts|cjs))\)/g)].map(([, name]) => name)
    expect(linked.toSorted()).toEqual(files.toSorted())
  })

  it('lists every context value with its default', () => {
    const defaults: Record<string, unknown> = Context.parse({})
    const expected = Object.keys(Context.shape).map(name => [name, String(defaults[name] ?? 'none')])
    const rows = rowsOf('context value').map(({ name, value }) => [name, value])
    expect(rows.toSorted()).toEqual(expected.toSorted())
  })

  it('lists every parameter with the default and the description of the template', () => {
    const own = Object.entries(parameters).filter(([name]) => name !== 'BootstrapVersion')
    const expected = own.map(([name, parameter]) => ({
      name,
      value: parameter.Default || 'empty',
      meaning: parameter.Description,
    }))
    expect(rowsOf('parameter')).toEqual(expected)
  })
})
