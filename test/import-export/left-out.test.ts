// What of other systems has no place here: the report names it for its record, or it is found elsewhere.
import { describe, expect, it } from 'vitest'
import {
  folderOf,
  read,
  readContent,
  readGhost,
  readWxr,
  sample,
  seconds,
  wxr,
  wxrItem,
  wxrMeta,
} from './read.ts'

describe('what has no place', () => {
  it('is noted for its record', async () => {
    expect((await read(sample('field/thumb.xml'))).notes('th')).toContain('attachment 999')
    const blocks = '<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:latest-posts {"n":1} /-->'
    const more =
      wxrMeta('_yoast_wpseo_title', 'Save 50%') +
      wxrMeta('_yoast_wpseo_metadesc', '%%title%% here') +
      wxrMeta('_wp_old_slug', 'was') +
      '<link>https://old.example/2020/01/a/</link><category domain="author" nicename="x">X</category><category domain="author" nicename="y">Y</category>'
    const { post, notes, entries } = await readWxr(wxrItem(1, 'a', `${blocks}[gallery ids="1"]`, more))
    expect(post('a')).toMatchObject({ seo_title: 'Save 50%', meta_desc: '' })
    for (const part of ['%%title%%', 'latest-posts', 'gallery', 'X, Y']) expect(notes('a')).toContain(part)
    expect(entries.at(-1)?.oldAddresses).toEqual(['/2020/01/a/', '/2020/01/was/'])
  })

  it('is taken from another file of the same export, and from synced blocks', async () => {
    const image =
      '<item><title>i</title><wp:post_id>9</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>https://old.example/i.jpg</wp:attachment_url></item>'
    const block =
      '<item><title>b</title><wp:post_id>8</wp:post_id><wp:post_type>wp_block</wp:post_type><content:encoded><![CDATA[<p>synced</p>]]></content:encoded></item>'
    const author =
      '<wp:author><wp:author_id>1</wp:author_id><wp:author_login>ann</wp:author_login><wp:author_email>ann@example.com</wp:author_email></wp:author>'
    const folder = await folderOf({
      '1.xml': wxr(author, wxrItem(1, 'a', '<!-- wp:block {"ref":8} /-->', wxrMeta('_thumbnail_id', '9'))),
      '2.xml': wxr(author, image, block),
    })
    const { post, names } = await read([`${folder}/1.xml`, `${folder}/2.xml`])
    expect(post('a')).toMatchObject({
      featured_image: { original: 'https://old.example/i.jpg' },
      body: '<p>synced</p>',
    })
    expect(names('user')).toEqual(['ann@example.com'])
  })

  it('is taken from where the block editor keeps footnotes', async () => {
    const note = JSON.stringify([{ id: 'n', content: 'A <em>note</em>' }])
    const text = '<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:footnotes /-->'
    const first = wxrItem(1, 'a', text, wxrMeta('footnotes', note))
    const { post, notes } = await readWxr(first, wxrItem(2, 'b', text))
    expect(post('a')?.body).toBe(
      '<p>a</p><ol class="wp-block-footnotes"><li id="n">A <em>note</em> <a href="#n-link">↩︎</a></li></ol>',
    )
    expect([notes('a'), notes('b')]).toEqual(['', expect.stringContaining('footnotes')])
  })

  it('keeps the date of a private post, and notes a cut title', async () => {
    const item = wxrItem(1, 'a').replace('publish', 'private').replace('Post 1', 'long '.repeat(100))
    const { post, notes } = await readWxr(item)
    expect(post('a')).toMatchObject({ is_published: false, posted_at: seconds('2020-01-02T03:04:05Z') })
    expect(notes('a')).toContain('Its title was cut.')
  })

  it('lists only addresses that were, also of links that begin their path with two slashes', async () => {
    const more = `<link>https://old.example//greek/a/</link>${wxrMeta('_wp_old_slug', '')}`
    const xml = wxr(wxrItem(1, 'a', '<img src="b.png">', more))
    const { entries, post } = await readContent('a.xml', xml, { sourceUrl: 'https://new.example' })
    expect(entries.at(-1)?.oldAddresses).toEqual(['/greek/a/'])
    expect(post('a')?.body).toContain('src="https://new.example/greek/a/b.png"')
  })

  it('is noted of links without a full address when the old site is not named', async () => {
    const text = '---\ntitle: A\ncoverImage: { src: ./c.png }\n---\n[a](/b) [c](https://d.example) [e](#f)'
    const folder = await folderOf({ 'posts/2021-01-01-a.md': text, 'posts/2021-01-02-b.md': '[c](#d)' })
    const { notes } = await read(folder)
    expect(notes('a')).toMatch(/image \.\/c\.png has no full address.*links or images without a full address/)
    expect(notes('b')).toBe('')
    const named = await read(folder, { sourceUrl: 'https://new.example' })
    expect(named.notes('a')).toBe('')
    expect(named.post('a')?.featured_image).toEqual({ original: 'https://new.example/posts/a/c.png' })
  })

  it('is named when the XML of an item is broken, and the other items come in', async () => {
    const open = wxrItem(2, 'b').replace('</item>', '')
    const split = wxrItem(4, 'd').replace('<![CDATA[]]>', '<p>lost</p>')
    const { names, wrong } = await readWxr(wxrItem(1, 'a'), open, wxrItem(3, 'c'), split)
    expect([names('post'), wrong]).toEqual([
      ['a', 'c'],
      [expect.stringMatching(/^Post 2: .*without an end/), expect.stringMatching(/^Post 4: Its content/)],
    ])
    const two = wxr(wxrItem(1, 'a')) + wxr(wxrItem(2, 'b')).replace(/<\?.*?\?>/, '')
    await expect(readContent('a.xml', two)).rejects.toThrow('goes on behind its end')
  })

  it('is noted of sticky posts, parents, custom fields and what only a theme of Ghost shows', async () => {
    const more = `<wp:is_sticky>1</wp:is_sticky><wp:post_parent>7</wp:post_parent>${wxrMeta('price', '3')}`
    const category =
      '<wp:category><wp:category_nicename>kid</wp:category_nicename><wp:category_parent>top</wp:category_parent></wp:category>'
    const { notes } = await readWxr(category, wxrItem(1, 'a', '', more))
    expect(notes('a')).toMatch(/sticky.*below page 7.*custom fields: price/)
    expect(notes('kid')).toContain('below top')
    const row = { id: 1, slug: 'g', html: 'x', status: 'archived', featured: 1, codeinjection_head: 'x' }
    const ghost = await readGhost({ posts: [row], posts_tags: [{ post_id: 1, tag_id: 9 }] })
    expect(ghost.notes('g')).toMatch(/archived.*featured, codeinjection_head.*One of its tags/)
  })

  it('is noted of members that are no text, and of an end in the future', async () => {
    const text = '---\ntitle: [a]\ntags: [a, { b: c }]\nexpiryDate: 2099-01-01\n---\nx'
    const { notes } = await read(await folderOf({ 'posts/2021-01-01-odd.md': text }))
    expect(notes('odd')).toMatch(/title is no text.*tags are no names.*expire on 2099-01-01/)
  })

  it('lists aliases as old addresses', async () => {
    const { entries } = await read(sample('field/posts'))
    expect(entries.flatMap(({ oldAddresses = [] }) => oldAddresses)).toEqual(['/old/'])
  })
})

describe('a project folder', () => {
  it('gives its content, and a line for each folder that has none', async () => {
    const text = '---\ntitle: A\ndate: 2021-01-01\n---\nx'
    const folder = await folderOf({
      '_config.yml': '',
      '_includes/a.md': text,
      'layouts/b.md': text,
      'archetypes/default.md': '---\ntitle: {{ .Name }}\n---\n',
      'public/c.md': text,
      '_posts/2021-1-2-one.html': '---\ntitle: H\n---\n<p>html</p>',
      '_posts/page.html': '<p>no front matter</p>',
      'posts/public/in.md': text,
      'bundle/index.md': text,
      'bundle/index.de.md': text,
    })
    const { posts, left, notes } = await read(folder)
    expect(posts.map(({ slug }) => slug).sort()).toEqual(['a', 'bundle', 'in', 'one'])
    const folders = left.map(line => line.split(':')[0]).sort()
    expect(folders).toEqual(['_includes', 'archetypes', 'layouts', 'public'])
    expect(posts.find(({ slug }) => slug === 'one')).toMatchObject({
      body: '<p>html</p>',
      posted_at: seconds('2021-01-02T00:00:00Z'),
    })
    expect(notes('a')).toContain('language de')
  })
})

describe('a content folder', () => {
  it('has pages in a folder of that name, and languages with a script', async () => {
    const text = '---\ntitle: T\ndate: 2021-01-01\n---\nx'
    const folder = await folderOf({
      'page/about/index.md': text,
      'post/a/index.zh-hant-tw.md': text,
      'post/b.io-page.md': text,
    })
    const { posts, notes } = await read(folder)
    expect(posts.map(({ slug, content_type }) => [slug, content_type])).toEqual([
      ['about', 'page'],
      ['t', 'post'],
      ['b.io-page', 'post'],
    ])
    expect(notes('t')).toContain('language zh-hant-tw')
  })

  it('has files of all endings of Markdown, and names that only look as if they had a language', async () => {
    const { names } = await read(await folderOf({ 'posts/a.mkd': 'x', 'posts/2021-01-01-node.js.md': 'x' }))
    expect(names('post').sort()).toEqual(['a', 'node.js'])
  })

  it('has a category for a name in any form of Unicode, and no slug of a page elsewhere', async () => {
    const text = (name: string) => `---\ncategory: ${name}\nurl: https://elsewhere.example/x\n---\nx`
    const files = { 'posts/a.md': text('Caf\u00e9'), 'posts/b.md': text('Cafe\u0301') }
    const { names } = await read(await folderOf(files))
    expect([names('category'), names('post')]).toEqual([['cafe'], ['a', 'b']])
  })

  it('has a line for each file in a markup that is not read', async () => {
    const { left } = await read(await folderOf({ 'posts/2021-01-01-a.md': 'x', 'posts/b.textile': 'x' }))
    expect(left).toEqual(['posts/b.textile: It is no Markdown.'])
  })
})

describe('comments of WordPress', () => {
  const comment = (id: number, parent: number) =>
    `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_content>c</wp:comment_content><wp:comment_approved>1</wp:comment_approved><wp:comment_parent>${parent}</wp:comment_parent></wp:comment>`

  it('come behind those that they answer, whatever their ids', async () => {
    const thread = comment(3, 4) + comment(4, 9) + comment(9, 0) + comment(10, 9)
    const { entries } = await readWxr(wxrItem(1, 'a', '', thread))
    const comments = entries.flatMap(({ record }) => (record.type === 'comment' ? [record] : []))
    const parents = comments.map(({ parent_id }) => comments.findIndex(({ id }) => id === parent_id))
    expect(parents).toEqual([-1, 0, 0, 2])
    expect(comments.map(({ id }) => id)).toEqual(comments.map(({ id }) => id).toSorted((a, b) => a - b))
  })

  it('in a circle stay in the report, and those of a second post of one id are not of the first', async () => {
    const circle = wxrItem(1, 'a', '', comment(3, 4) + comment(4, 3))
    const { entries, left } = await readWxr(circle, wxrItem(1, 'b', '', comment(5, 0)))
    expect(entries.filter(({ record }) => record.type === 'comment')).toHaveLength(2)
    expect(left).toEqual([
      'Post 1: Its id is that of an earlier record of the source. Its 1 comments stay out with it.',
    ])
  })
})
