// Faults that users of other systems report, one of each kind: what comes in, and what the report says.
import { describe, expect, it } from 'vitest'
import {
  field,
  folderOf,
  NOW_SECONDS,
  postOf,
  read,
  readContent,
  readGhost,
  readWxr,
  seconds,
  wxr,
  wxrItem,
} from './read.ts'

describe('a file that was cut off', () => {
  it('is refused with the name of its last whole record, unless it is imported in part', async () => {
    await expect(read(field('trunc2.xml'))).rejects.toThrow(
      /cut off\. Its last whole record is post Two\. Nothing/,
    )
    expect((await read(field('trunc2.xml'), { partial: true })).names('post')).toEqual(['one', 'two'])
    const inText = wxr(wxrItem(1, 'a'), wxrItem(2, 'b', 'x'.repeat(100))).slice(0, -200)
    await expect(readContent('a.xml', inText)).rejects.toThrow('post Post 1')
    const json = '{"db":[{"data":{"posts":[{"id":1'
    await expect(readContent('a.json', json)).rejects.toThrow('no whole JSON')
  })
})

describe('slugs', () => {
  it('are those of the source, and published posts come before drafts', async () => {
    const { posts } = await read(field('steal.xml'))
    expect(posts.map(({ id, slug, is_published }) => [id, slug, is_published])).toEqual([
      [1, 'hello-2', false],
      [2, 'hello', true],
    ])
  })

  it('that changed are noted', async () => {
    const { notes } = await readWxr(wxrItem(1, 'a'), wxrItem(2, 'a'), wxrItem(3, '-b-'))
    expect([notes('a'), notes('a-2'), notes('b')]).toEqual(['', 'Its slug was a.', 'Its slug was -b-.'])
  })
})

describe('plain text', () => {
  it('has no entities and tags of WordPress, and keeps what Ghost means', async () => {
    const { names, entries } = await read(field('quote.xml'))
    expect(names('user')).toEqual(['ann@example.com'])
    expect(entries[0]?.record).toMatchObject({ name: 'Ann & Co' })
    const item =
      '<item><title>A &amp;amp; &lt;em&gt;B&lt;/em&gt;</title><excerpt:encoded>&lt;p&gt;C&lt;/p&gt;</excerpt:encoded>'
    const { post } = await readWxr(wxrItem(1, 'a').replace('<item><title>Post 1</title>', item))
    expect(post('a')).toMatchObject({ title: 'A & B', short_description: 'C' })
    expect((await read(field('g-all.json'))).post('t13')?.title).toBe('Title with "quotes" & <b>')
  })

  it('has paragraphs where WordPress shows them', async () => {
    const { post } = await read(field('quote.xml'))
    expect(post('q')?.body).toBe(
      '<blockquote><p>First para.</p>\n<p>Second para.<br>\nLine two.</p></blockquote>\n' +
        '<ul>\n<li>one</li>\n<li>two</li>\n<li>three</li>\n</ul>\n' +
        '<table>\n<tr>\n<td>1</td>\n</tr>\n<tr>\n<td>2</td>\n</tr>\n<tr>\n<td>3</td>\n</tr>\n</table>',
    )
  })
})

describe('relative addresses', () => {
  it('become absolute from the page, in every format', async () => {
    const { post: ofWordPress } = await read(field('rel.xml'), { sourceUrl: 'https://new.example' })
    expect(ofWordPress('rel')?.body).toBe(
      '<p><img src="https://new.example/wp-content/uploads/a.png"> <a href="https://new.example/about/">about</a></p>',
    )
    const { post: ofGhost } = await read(field('g-all.json'), { sourceUrl: 'https://new.example/' })
    expect(ofGhost('t1')).toMatchObject({
      featured_image: { original: 'https://new.example/content/images/2018/01/x.jpg' },
      body: expect.stringContaining('<a href="https://new.example/other-post/">'),
    })
    expect(ofGhost('t2')?.body).toContain('srcset="https://new.example/content/images/size/w600/y.jpg 600w"')
    expect(ofGhost('t3')?.featured_image).toEqual({ original: 'https://cdn.example/z.jpg' })
    const { post } = await read(field('posts'), { sourceUrl: 'https://new.example' })
    expect(post('m-bundle')).toMatchObject({
      body: '<p><img src="https://new.example/m-bundle/pic.png" alt="a"></p>',
      featured_image: { original: 'https://new.example/m-bundle/cover.jpg' },
    })
  })
})

describe('dates', () => {
  it.each([
    ['Mon, 01 Mar 2021 10:00:00 +0900', '2021-03-01T01:00:00Z'],
    ['Mon, 01 Mar 2021 10:00:00 EST', '2021-03-01T15:00:00Z'],
    ['2021-03-01 10:00:00 -0500', '2021-03-01T15:00:00Z'],
    ['2021-3-1', '2021-03-01T00:00:00Z'],
    ['20210301', '2021-03-01T00:00:00Z'],
    ['March 1, 2021', '2021-03-01T00:00:00Z'],
    ['2021-03-01T10:00:00.123+02:00', '2021-03-01T08:00:00Z'],
  ])('%s is read', async (date, expected) => {
    const { post } = await postOf(`---\ntitle: A\ndate: ${date}\n---\nx`)
    expect(post?.posted_at).toBe(seconds(expected))
  })

  it.each(['202103011000', '20210301100000', '-5', '0001-01-01T00:00:00Z'])(
    'are no moments: %s',
    async date => {
      const { post } = await postOf(`---\ntitle: A\ndate: ${date}\n---\nx`, 'posts/a.md')
      expect(post).toMatchObject({ is_published: false, posted_at: null })
    },
  )

  it.each([
    ['Wed, 01 Jul 2020 10:00:00 +0000', '2020-07-01T10:00:00Z'],
    ['Tue, 30 Nov 1999 00:00:00 +0000', '2020-07-01T12:00:00Z'],
    ['Wed, 30 Nov -0001 00:00:00 +0000', '2020-07-01T12:00:00Z'],
  ])('of WordPress without UTC are those of its feed, if that has one: %s', async (feed, expected) => {
    const times = `<wp:post_date>2020-07-01 12:00:00</wp:post_date><pubDate>${feed}</pubDate>`
    const item = wxrItem(1, 'a', '', times).replace('2020-01-02 03:04:05', '0000-00-00 00:00:00')
    expect((await readWxr(item)).post('a')?.posted_at).toBe(seconds(expected))
  })

  it('that do not exist are wrong', async () => {
    expect((await postOf('+++\ndate = 2021-02-30\n+++\nx')).wrong).toHaveLength(1)
    const item = wxrItem(1, 'a').replace('2020-01-02', '2021-02-30')
    const { wrong } = await readWxr(item, wxrItem(2, 'b'))
    expect(wrong).toEqual(['Post 1: Its date: There is no such day.'])
    const row = { id: 1, slug: 'a', status: 'published', html: 'x', published_at: '2021-02-30T10:00:00Z' }
    expect((await readGhost({ posts: [row] })).wrong).toEqual(['a: Its date: There is no such day.'])
    expect((await read(field('posts'))).wrong).toContain('i-feb30.md: date: There is no such day.')
    expect((await postOf('x', 'posts/2021-02-30-a.md')).wrong).toHaveLength(1)
  })

  it('that cannot be read are those of the name of the file, and without one the post is a draft', async () => {
    const named = await postOf('---\ntitle: A\ndate: last summer\n---\nx')
    expect(named.post).toMatchObject({ is_published: true, posted_at: seconds('2020-05-04T00:00:00Z') })
    expect(named.notes).toContain('date cannot be read')
    const unnamed = await postOf('---\ntitle: A\ndate: last summer\n---\nx', 'posts/a.md')
    expect(unnamed.post).toMatchObject({ is_published: false, posted_at: null, created_at: NOW_SECONDS })
    expect(unnamed.notes).toContain('It has no date, so it is a draft.')
  })
})

describe('categories', () => {
  it('are one for one name, numbers too, and words only in a folder of Jekyll', async () => {
    expect((await read(field('posts'))).names('category')).toEqual(['web-development', '2023', 'go'])
    const text = '---\ndate: 2021-01-01\ntags: second tag\ncategories: Big News\n---\nx'
    const { names } = await read(await folderOf({ 'posts/a.md': text }))
    expect(names('category')).toEqual(['big-news', 'second-tag'])
    const jekyll = await folderOf({ '_config.yml': '', '_posts/2021-1-1-a.md': text })
    expect((await read(jekyll)).names('category')).toEqual(['big', 'news', 'second', 'tag'])
  })

  it('are of WordPress only its categories and tags, and the taxonomies that are named', async () => {
    const { names, notes } = await read(field('poly.xml'))
    expect([names('category'), notes('poly')]).toEqual([[], expect.stringContaining('series (My series)')])
    const named = await read(field('poly.xml'), { taxonomies: ['series'] })
    expect(named.names('category')).toEqual(['ser'])
  })

  it('of a WordPress that knew no slugs of terms are those that posts name', async () => {
    const [old, both] = ['<category>Old times</category>', '<category domain="tag">boat</category>']
    const slug = '<category domain="category" nicename="new">New</category>'
    const items = [wxrItem(1, 'a', '', old + both), wxrItem(2, 'b', '', `<category>New</category>${slug}`)]
    const { names, post, entries } = await readWxr(...items)
    expect(names('category')).toEqual(['old-times', 'boat', 'new'])
    const [first, second, third] = entries.map(({ record }) => 'id' in record && record.id)
    expect([post('a')?.category_ids, post('b')?.category_ids]).toEqual([[first, second], [third]])
  })

  it('beyond twelve are noted by name', async () => {
    const { post, notes } = await read(field('tags13.xml'))
    expect([post('t')?.category_ids.length, notes('t')]).toEqual([12, expect.stringContaining('without T12')])
  })
})

describe('encodings', () => {
  it('that are no text are wrong, and a declaration may have spaces', async () => {
    const utf32 = Buffer.from('---\ndraft: true\n---\nx'.split('').join('\0\0\0'))
    expect((await read(await folderOf({ '2020-01-01-a.md': utf32 }))).wrong).toHaveLength(1)
    const xml = wxr(wxrItem(1, 'a', 'na\u00efve')).replace('="UTF-8"', ' = "iso-8859-1"')
    const { post } = await readContent('a.xml', Buffer.from(xml, 'latin1'))
    expect(post('a')?.body).toBe('<p>na\u00efve</p>')
  })

  it('that are declared are read, and bad bytes are wrong with file and place', async () => {
    expect((await read(field('posts'))).wrong).toContain('k-latin1.md: Line 2 has bytes that are not UTF-8.')
    const xml = wxr(wxrItem(1, 'a', 'na\u00efve'), wxrItem(2, 'b'))
    const utf16 = await readContent('a.xml', Buffer.from(`\ufeff${xml}`, 'utf16le'), { format: 'wordpress' })
    expect(utf16.post('a')?.body).toBe('<p>na\u00efve</p>')
    const { names, wrong } = await readContent('a.xml', Buffer.from(xml, 'latin1'))
    expect(names('post')).toEqual(['b'])
    expect(wrong).toEqual([expect.stringContaining('not in the encoding of the file')])
  })
})

describe('Markdown', () => {
  it('has footnotes and alerts, and notes what it does not know', async () => {
    const { post, notes } = await read(field('posts'))
    expect(post('n-author')?.body).toContain('<section class="footnotes">')
    expect(notes('n-author')).toMatch(/template tags.*author Jane/)
    const alert = await postOf('> [!NOTE]\n> Look\n\n{: .class}\n')
    expect(alert.post?.body).toContain('<div class="markdown-alert markdown-alert-note">')
    expect(alert.notes).toContain('attribute lists')
    expect((await postOf(':::note\nLook\n:::\n')).notes).toContain('directives')
  })
})

describe('an export of Ghost', () => {
  it('notes canonical addresses, which have no place', async () => {
    expect((await read(field('g-all.json'))).notes('t16')).toContain('https://elsewhere.example/x')
  })

  it('with a row that is wrong names its path, and gives the others', async () => {
    const { wrong, names } = await read(field('g-tagnull.json'))
    expect(wrong).toEqual([expect.stringMatching(/^tags\.0: tags\.0\.name: /)])
    expect(names('post')).toEqual(['t1'])
  })
})
