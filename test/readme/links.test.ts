// Checks the READMEs: what they link and name exists, their length is limited, their diagrams are drawable.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { partIn } from '../bench/report.ts'
import {
  allCommandsOf,
  anchorsOf,
  blocksOf,
  inlineCodeOf,
  linksOf,
  PROJECT,
  READMES,
  type Readme,
  readmeAt,
} from './readmes.ts'

const MAX_LINES_ON_THE_FRONT_PAGE = 125
const MAX_LINES_IN_A_ROOM = 80
/** The page that may have any length: its tables have a row for each request and each function. */
const UNLIMITED = 'test/bench/README.md'

/** An empty array if the relative link is right. */
function problemsOf({ path, text }: Readme, link: string): string[] {
  const [target = '', anchor] = link.split('#')
  const file = target ? normalize(join(PROJECT, dirname(path), target)) : join(PROJECT, path)
  if (!existsSync(file)) return [`${link}: there is no such file`]
  if (anchor === undefined) return []
  const linked = target
    ? readFileSync(statSync(file).isDirectory() ? join(file, 'README.md') : file, 'utf8')
    : text
  return anchorsOf(linked).has(anchor) ? [] : [`${link}: the file has no such heading`]
}

describe.each(READMES)('$path', readme => {
  it('has relative links only to files and headings that exist', () => {
    const relative = linksOf(readme).filter(link => !/^[a-z]+:/.test(link))
    expect(relative.flatMap(link => problemsOf(readme, link))).toEqual([])
  })

  it('names only files and folders that exist', () => {
    const paths = inlineCodeOf(readme).filter(code => /^(shared|functions|infra|test)\/[\w./-]*$/.test(code))
    expect(paths.filter(path => !existsSync(join(PROJECT, path)))).toEqual([])
  })

  it('names only scripts of package.json', () => {
    const scripts = allCommandsOf(readme).flatMap(command =>
      [...command.matchAll(/\bnpm run (?:--?\S+ )*([\w:-]+)/g)].map(([, name = '']) => name),
    )
    expect(scripts.filter(name => !(name in manifest.scripts))).toEqual([])
  })

  it('names only tests that exist', () => {
    const paths = allCommandsOf(readme).flatMap(command =>
      [...command.matchAll(/\bnpm test -- (.+)$/g)].flatMap(([, words = '']) => words.split(' ')),
    )
    expect(paths.filter(path => path.startsWith('test/') && !existsSync(join(PROJECT, path)))).toEqual([])
  })

  it('has diagrams of kinds that GitHub draws, with balanced quotes and brackets on every line', () => {
    for (const diagram of blocksOf(readme, 'mermaid')) {
      expect(diagram).toMatch(/^(flowchart (TB|LR)|stateDiagram-v2|sequenceDiagram)\n/)
      expect(diagram.split('\n').filter(line => !isBalanced(line))).toEqual([])
    }
  })
})

function isBalanced(line: string): boolean {
  const withoutTexts = line.replaceAll(/"[^"]*"/g, '')
  const count = (character: string) => withoutTexts.split(character).length
  return !withoutTexts.includes('"') && count('(') === count(')') && count('[') === count(']')
}

describe('the length', () => {
  it.each(READMES.filter(({ path }) => path !== UNLIMITED))(
    'of $path is at most the limit',
    ({ path, text }) => {
      const most = path === 'README.md' ? MAX_LINES_ON_THE_FRONT_PAGE : MAX_LINES_IN_A_ROOM
      const lines = text.trimEnd().split('\n').length
      expect(lines, 'Move details to the README of the room they belong to.').toBeLessThanOrEqual(most)
    },
  )
})

describe('the figures of README.md', () => {
  it('are those of the table in test/bench/README.md', () => {
    const cellsOf = (row: string) => row.split('|').map(cell => cell.trim())
    const measured = partIn(readmeAt('test/bench/README.md').text, 'bench').split('\n').map(cellsOf)
    const rows = partIn(readmeAt('README.md').text, 'speed').trim().split('\n').slice(2)
    const unknown = rows.filter(row => {
      const [, name = '', figure = ''] = cellsOf(row)
      return !measured.some(cells => cells[1] === name && cells.includes(figure))
    })
    expect(unknown, '`npm run bench` writes both tables.').toEqual([])
    expect(rows).toHaveLength(6)
  })
})
