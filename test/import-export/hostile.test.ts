// Hostile files: each ends with a sentence or a wrong record, in bounded time, and the other records come in.
import { symlink } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { folderOf, read, readContent, wxr, wxrItem } from './read.ts'
import { lineOf, smallExport } from './small-export.ts'

const MEGABYTE = 1_000_000

function of(text: string, length = MEGABYTE): string {
  return text.repeat(Math.ceil(length / text.length))
}

const HEADER = JSON.stringify(lineOf(smallExport(0), 'header'))
const CATEGORY = '{"type":"category","id":1,"name":"News","slug":"news","description":""}'

function end(records: number): string {
  return `{"type":"end","records":${records}}`
}

/** Far above what it takes, and far below what quadratic work would take. */
const BOUND_MS = 60_000

async function readTimed(name: string, content: string | Buffer) {
  const startedMs = performance.now()
  try {
    return await readContent(name, content)
  } finally {
    expect(performance.now() - startedMs).toBeLessThan(BOUND_MS)
  }
}

describe('a hostile text of WordPress', () => {
  it.each(['<hr ', '<pre ', '<pre>', '<!-- wp:', '<!-- wp:a /-->', '[a b=', '<a href=x ', '<p>', '\n', ' '])(
    'of %j takes time in proportion to its length',
    async text => {
      const { names, wrong } = await readTimed('a.xml', wxr(wxrItem(1, 'a', of(text)), wxrItem(2, 'b')))
      expect([...names('post'), ...wrong].at(-1)).toBeDefined()
      expect(names('post')).toContain('b')
    },
  )

  it('that is nested too deep, or has a million tags or entities of its own, ends with a sentence', async () => {
    await expect(readTimed('a.xml', wxr('<a>'.repeat(120_000)))).rejects.toThrow('nested deeper than 100')
    expect((await readTimed('a.xml', wxr('<a/>'.repeat(1_000_000)))).names('post')).toEqual([])
    const inherited = '<constructor>a</constructor><toString>a</toString>'
    expect((await readTimed('a.xml', wxr(inherited, wxrItem(1, 'a')))).names('post')).toEqual(['a'])
    const entities = '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;&a;">]>'
    const { post } = await readTimed('a.xml', `${entities}${wxr(wxrItem(1, 'a', '&b;'))}`)
    expect(post('a')?.body).toBe('<p>&b;</p>')
  })

  it('with ten thousand equal titles numbers each slug once', async () => {
    const items = Array.from({ length: 10_000 }, (_, n) =>
      wxrItem(n + 1, '').replace(`Post ${n + 1}`, 'Same'),
    )
    expect(new Set((await readTimed('a.xml', wxr(...items))).names('post')).size).toBe(10_000)
  })
})

describe('a hostile Markdown file', () => {
  it.each([
    ['nested quotes', '> '.repeat(2_500), 'nested too deep'],
    ['flow collections', `---\na: ${'{a: '.repeat(10_000)}\n---\n`, 'front matter cannot be read'],
    ['arrays in JSON', `---json\n${'['.repeat(100_000)}\n---\n`, 'front matter cannot be read'],
    ['more front matter than any', `---\n${'key: 1\n'.repeat(40_000)}---\n`, 'more than 200 kB'],
    ['no end of its front matter', `---\n${of('a: 1\n')}`, 'it has no end'],
  ])('with %s is wrong, and the others come in', async (_, text, problem) => {
    const folder = await folderOf({ 'posts/2020-01-01-a.md': text, 'posts/2020-01-02-b.md': 'x' })
    const { names, wrong } = await read(folder)
    expect([names('post'), wrong]).toEqual([['b'], [expect.stringContaining(problem)]])
  })

  it('with a long heading or many openers is read', async () => {
    const texts = [
      `# ${of(' ')}\nx`,
      of('[', 100_000),
      of('*a_ ', 100_000),
      of('![', 100_000),
      of('^[', 100_000),
    ]
    const files = Object.fromEntries(texts.map((text, n) => [`posts/2020-01-0${n + 1}-a${n}.md`, text]))
    expect((await read(await folderOf(files))).posts).toHaveLength(texts.length)
  })

  it('behind a link is not read, wherever the link leads', async () => {
    const folder = await folderOf({ 'posts/2020-01-01-a.md': 'x' })
    await symlink('/etc', `${folder}/outside`)
    await symlink('..', `${folder}/posts/circle`)
    const { names, left } = await read(folder)
    expect(names('post')).toEqual(['a'])
    expect(left).toEqual(['outside: Links are not followed.', 'posts/circle: Links are not followed.'])
  })
})

describe('a hostile export', () => {
  it.each([
    ['a line of 32 MB', 'x'.repeat(32 * MEGABYTE), 'longer than 16 MB'],
    ['nested arrays', '['.repeat(MEGABYTE), 'Is no JSON'],
    ['a version that no change could raise', CATEGORY.replace('1', `2,"version":${2 ** 53 - 1}`), 'at most'],
    ['a name of 500 kB', CATEGORY.replace('News', 'x'.repeat(500_000)), 'at most 100 characters'],
  ])('with %s has a wrong line, and the others come in', async (_, line, problem) => {
    const { names, wrong } = await readTimed('a.jsonl', [HEADER, line, CATEGORY, end(2)].join('\n'))
    expect([names('category'), wrong]).toEqual([['news'], [expect.stringContaining(problem)]])
  })

  it.each(['own', 'ghost', 'wordpress', 'csv'] as const)(
    'of %s that is a thousand times larger when it is opened ends with a sentence, long before its end',
    async format => {
      const bomb = gzipSync(`${HEADER}\n${' '.repeat(100 * MEGABYTE)}`)
      // Who reads to the end finds that it is broken.
      bomb.fill(0xff, bomb.length - 8)
      await expect(readContent('bomb.gz', bomb, { format })).rejects.toThrow('more than 200 times larger')
    },
  )

  it('whose bodies repeat one letter is read while it is not large', async () => {
    const post = lineOf(smallExport(1), 'post')
    const lines = Array.from({ length: 20 }, (_, n) =>
      JSON.stringify({ ...post, id: n + 1, slug: `p-${n}`, body: 'x'.repeat(MEGABYTE) }),
    )
    const bytes = gzipSync([HEADER, ...lines, end(20)].join('\n'))
    expect((await readTimed('a.jsonl.gz', bytes)).posts).toHaveLength(20)
  })

  it('that goes on behind its last line is refused, and empty lines mean nothing', async () => {
    const whole = [HEADER, '', CATEGORY, end(1), '', ''].join('\r\n')
    expect((await readTimed('a.jsonl', `\ufeff${whole}`)).names('category')).toEqual(['news'])
    await expect(readTimed('b.jsonl', whole + whole)).rejects.toThrow('goes on behind its last line')
  })

  it('that was cut off within its compressed data is refused', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => CATEGORY.replaceAll('1', String(n + 1)))
    const bytes = gzipSync([HEADER, ...lines, end(5_000)].join('\n'))
    await expect(readTimed('a.jsonl.gz', bytes.subarray(0, bytes.length / 2))).rejects.toThrow(
      /last whole record is category \d+/,
    )
  })
})
