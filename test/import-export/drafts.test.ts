// What other systems do not show comes in as a draft, and so does what is in doubt.
import { describe, expect, it } from 'vitest'
import { field, folderOf, postOf, read, readGhost, readWxr, seconds, wxrItem } from './read.ts'

describe('drafts', () => {
  it.each([
    'draft: true',
    'draft: yes',
    'draft: "true"',
    'draft: on',
    'draft: maybe',
    'published: no',
    'published: "false"',
    'published: off',
    'published: 0',
    'expiryDate: 2020-01-01',
    'publishDate: sometime',
    'permalink: false',
    'build: { render: never }',
    'status: private',
    'hidden: true',
    'unlisted: true',
    'build: { list: never }',
    'Draft: true',
    'publish: false',
    'visibility: private',
    'password: secret',
    'status: [draft]',
    'status: false',
    'unpublishdate: 2020-01-01',
    'permalink: { build: false }',
    'pubDate: sometime',
    'base: &base { draft: true }\n<<: *base',
  ])('stay drafts with %s', async line => {
    const { post } = await postOf(`---\ntitle: A\ndate: 2021-01-01\n${line}\n---\nx`)
    expect(post?.is_published).toBe(false)
  })

  it.each([
    'draft: no',
    'draft: "false"',
    'published: yes',
    'published: 2020-01-01',
    'status: published',
    'permalink:',
    'visibility: public',
  ])('are not made by %s', async line => {
    const { post } = await postOf(`---\ntitle: A\ndate: 2021-01-01\n${line}\n---\nx`)
    expect(post?.is_published).toBe(true)
  })

  it('are no programs, and are scheduled by publishDate', async () => {
    const { post, names, wrong } = await read(field('posts'))
    expect(wrong.find(line => line.startsWith('a-js.md'))).toContain('a program in js')
    expect(names('post')).not.toContain('a-js')
    expect(post('c-no')?.is_published).toBe(false)
    expect(post('f-embargo')?.posted_at).toBe(seconds('2099-01-01T00:00:00Z'))
  })

  it.each([
    ['JSON in a fence', '---json\n{ "title": "T", "draft": true }\n---\nx'],
    ['empty lines above it', '\ufeff\r\n\n---\ntitle: T\ndraft: true\n---\nx'],
    ['JSON in one line', '{"title": "T", "x": {"y": "}"}, "draft": true}\nx'],
    ['JSON with a brace in a line of its own', '{\n"title": "T",\n"x": {\n"y": 1\n},\n"draft": true\n}\nx'],
    ['the end of a document', '---\ntitle: T\ndraft: true\n...\nx'],
    ['a language in capitals', '---TOML\ntitle = "T"\ndraft = true\n---\nx'],
    ['names in capitals', '+++\nTitle = "T"\nDraft = true\n+++\nx'],
  ])('are read from front matter with %s', async (_, text) => {
    expect((await postOf(text)).post).toMatchObject({ title: 'T', is_published: false, body: '<p>x</p>' })
  })

  it.each([
    'title: T\ndraft: true\n---\nx',
    '--- # T\ntitle: T\n---\nx',
    '<!-- a -->\n---\ndraft: true\n---\n',
  ])('are files that look as if they had front matter: %j', async text => {
    const { post, notes } = await postOf(text)
    expect([post?.is_published, notes]).toEqual([false, expect.stringContaining('look like front matter')])
  })

  it('are files that generators do not show', async () => {
    const files = {
      'posts/_2020-01-01-a.md': 'x',
      'drafts/2020-01-01-b.md': 'x',
      'posts/2020-01-01-c.md': 'x',
    }
    const { posts } = await read(await folderOf(files))
    expect(posts.filter(({ is_published }) => is_published).map(({ slug }) => slug)).toEqual(['c'])
  })

  it.each(['publishdate', 'pubDate', 'published_at', 'published'])(
    'are no posts that %s schedules beside another date',
    async name => {
      const { post } = await postOf(`---\ndate: 2020-01-01\n${name}: 2099-01-01\n---\nx`)
      expect(post).toMatchObject({ is_published: true, posted_at: seconds('2099-01-01T00:00:00Z') })
    },
  )

  it('are pages that should wait for a date that is missing, and posts that are only mails', async () => {
    const page = wxrItem(1, 'a').replace('publish<', 'future<').replace('>post<', '>page<')
    const undated = page.replace(/<wp:post_date_gmt>.*<\/wp:post_date_gmt>/, '')
    const { post, notes } = await readWxr(undated)
    expect([post('a')?.is_published, notes('a')]).toEqual([false, expect.stringContaining('not clear')])
    const rows = [
      { id: 1, slug: 'p', type: 'page', status: 'scheduled', html: 'x' },
      { id: 2, slug: 'm', status: 'scheduled', html: 'x', published_at: '2099-01-01', email_only: 1 },
      { id: 3, slug: 't', status: 'published', plaintext: 'x', published_at: '2020-01-01' },
    ]
    const { posts } = await readGhost({ posts: rows })
    expect(posts.map(({ is_published }) => is_published)).toEqual([false, false, false])
  })

  it('are posts of Ghost without HTML, unless their Markdown can be shown', async () => {
    const { post, notes } = await read(field('g-all.json'))
    expect(post('t4')).toMatchObject({ is_published: true, body: '<h1>Hello <strong>md</strong></h1>' })
    expect(post('t5')).toMatchObject({ is_published: false, body: '' })
    expect(notes('t5')).toContain('lexical')
    expect(post('t6')).toMatchObject({ is_published: true, body: '<h1>Old <em>markdown</em></h1>' })
  })
})
