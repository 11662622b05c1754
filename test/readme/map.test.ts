// Checks that a reader finds every room, page and step of a request: the maps are complete.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linksOf, PROJECT, READMES, readmeAt } from './readmes.ts'

/** Pages that another page links, a folder by its README.md. */
function linkedPages(): Set<string> {
  const pages = READMES.flatMap(readme => {
    const targets = linksOf(readme).map(link =>
      normalize(join(dirname(readme.path), link.split('#')[0] ?? '')),
    )
    return targets.filter(target => target !== readme.path)
  })
  return new Set(pages.flatMap(page => [page, join(page, 'README.md')]))
}

function foldersOf(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .map(entry => entry.name)
}

describe('the pages', () => {
  it('are each linked from another one', () => {
    const linked = linkedPages()
    const alone = READMES.map(({ path }) => path).filter(path => path !== 'README.md' && !linked.has(path))
    expect(alone, 'Link the page where a reader looks for it.').toEqual([])
  })
})

describe.each(['shared', 'infra', 'test'])('the map in %s/README.md', folder => {
  it('names every folder of the room', () => {
    const words = new Set(readmeAt(`${folder}/README.md`).text.match(/[\w-]+/g))
    expect(foldersOf(folder).filter(name => !words.has(name))).toEqual([])
  })
})

describe('the table in functions/README.md', () => {
  it('has the steps of every request, as serve.ts joins them', () => {
    const serve = readFileSync(join(PROJECT, 'shared/lambda/serve.ts'), 'utf8')
    const steps = serve.matchAll(/\.use\((?:\{ before: adding\()?(\w+)/g)
    const [, table = ''] = readmeAt('functions/README.md').text.split('| step |')
    const rows = [...table.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name)
    expect(rows).toContain('report')
    expect(rows).toEqual([...steps].map(([, name]) => name))
  })
})
