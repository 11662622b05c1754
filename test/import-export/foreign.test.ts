// Samples of Ghost, WordPress and Markdown, imported as the owner does.
import { describe, expect, it } from 'vitest'
import { operatorOn } from '../operator/operator-world.ts'
import { useWorld, type World } from '../support/world.ts'
import { sample } from './read.ts'

const ghost = on(useWorld({ isNew: true }))
const wordpress = on(useWorld())
const markdown = on(useWorld())

type Line = { outcome: string; kind: string; label: string; reason?: string }

function on(world: World) {
  return {
    get: async (path: string) => {
      const headers = { Authorization: `Bearer ${world.admin}` }
      const response = await fetch(`${world.baseUrl}/api/v1/${path}`, { headers })
      return Object(await response.json()).data
    },
    /** Imports twice, and returns the first report: without ids, and in the order of the alphabet. */
    importTwice: async (call: string[], code = 0): Promise<string[]> => {
      const operator = operatorOn(world)
      const { records } = await operator.json(['import', ...call], { code })
      const again = await operator.json(['import', ...call], { code })
      const outcomes = again.records.map(({ outcome }: Line) => outcome)
      expect(outcomes.filter((outcome: string) => outcome === 'made' || outcome === 'updated')).toEqual([])
      expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
      const lines = records.map(({ outcome, kind, label, reason = '' }: Line) =>
        `${outcome} ${kind} ${label} ${reason}`.trim(),
      )
      return lines.sort()
    },
  }
}

describe('an export of Ghost', () => {
  it('becomes posts, pages, tags as categories and accounts', async () => {
    const call = [sample('ghost.json'), '--source-url', 'https://ghost.example/']
    expect(await ghost.importTwice(call)).toEqual(
      [
        'made user grace@ghost.example',
        'made user alan@ghost.example',
        'made category news',
        'made category deja-vu',
        'made post coming-soon Left out: feature_image_alt. It also has the authors Grace Hopper.',
        'made page about',
        'made post for-members It was for members only, so it is a draft.',
        'made post not-yet It has no text.',
        'made post new-year-2099',
      ].sort(),
    )
    expect(await ghost.get('posts/coming-soon')).toMatchObject({
      title: 'Coming soon',
      excerpt: 'What is to come.',
      body: '<p>This is <a href="https://ghost.example/about/">about us</a>.</p><img src="https://ghost.example/content/images/2024/05/cat.jpg">',
      featured_image: { original: 'https://ghost.example/content/images/2024/05/cover.jpg' },
      author: { name: 'Alan Turing', avatar: null },
      categories: [
        { name: 'Déjà vu', slug: 'deja-vu' },
        { name: 'News', slug: 'news' },
      ],
      seo_title: 'Soon here',
      meta_desc: 'A description for search engines.',
      posted_at: '2024-05-24T15:00:00+00:00',
      updated_at: '2024-05-25T09:00:00+00:00',
    })
    const posts: { slug: string; status: string }[] = await ghost.get('admin/posts')
    expect(Object.fromEntries(posts.map(({ slug, status }) => [slug, status]))).toMatchObject({
      'coming-soon': 'published',
      about: 'published',
      'for-members': 'draft',
      'not-yet': 'draft',
      'new-year-2099': 'scheduled',
    })
    expect((await ghost.get('search?q=soon')).total).toBe(1)
  })
})

describe('an export of WordPress', () => {
  it('becomes posts, pages, categories, accounts and approved comments', async () => {
    expect(await wordpress.importTwice([sample('wordpress.xml')])).toEqual(
      [
        'made user ada@wp.example',
        'made category news',
        'made category 東京',
        'made category only-here',
        'skipped attachment cover Items of the type attachment have no place here.',
        'made post classic',
        'made post blocks',
        'made post protected It was protected by a password, so it is a draft. Its author was not imported.',
        'made page about-us',
        'made post a-draft',
        'skipped comment comment 7 It is not approved.',
        'made comment comment 5',
        'made comment comment 6',
      ].sort(),
    )
    expect(await wordpress.get('posts/classic')).toMatchObject({
      title: 'Classic & old',
      body: '<p>First paragraph<br>\nwith a line end.</p>\n<h2>A heading</h2>\n<p>Second paragraph &amp; more.</p>\n<pre>\nkeep\n\nthis\n</pre>',
      excerpt: 'In short.',
      featured_image: { original: 'https://wp.example/wp-content/uploads/2024/05/cover.jpg' },
      author: { name: 'Ada & Co' },
      categories: [
        { name: 'News & views', slug: 'news' },
        { name: '東京', slug: '東京' },
      ],
      meta_desc: 'For search engines.',
      posted_at: '2024-05-01T10:00:00+00:00',
      updated_at: '2024-05-02T10:00:00+00:00',
    })
    expect((await wordpress.get('posts/blocks')).body).toBe(
      '<p>A block of text.</p>\n\n<figure class="wp-block-image"><img src="https://wp.example/wp-content/uploads/2024/05/cover.jpg" alt=""/></figure>',
    )
    const [first, reply] = await wordpress.get('posts/classic/comments')
    expect(first).toMatchObject({
      author: { name: 'A reader' },
      body: 'Well said & done.\nIn two lines.',
      created_at: '2024-05-03T10:00:00+00:00',
    })
    expect(reply).toMatchObject({ parent_id: first.id, author: { name: 'Ada & Co' }, body: 'Thank you.' })
  })
})

describe('a folder of Markdown', () => {
  it('becomes posts and pages, whichever generator it was for', async () => {
    const call = [sample('markdown'), '--source-url', 'https://static.example']
    const lines = await markdown.importTwice(call, 1)
    expect(lines.pop()).toMatch(/^wrong post .*broken\.md .*front matter cannot be read/)
    expect(lines).toEqual(
      [
        'made category news',
        'made category update',
        'made category guides',
        'made category go',
        'made post unfinished',
        'made post from-jekyll',
        'skipped file CONTRIBUTING.md Its name is that of a file about the project.',
        'skipped page content/_index.md It is the start page of a folder.',
        'made page about',
        'made post bundle',
        'made post hugo It has template tags, which stay as they are.',
        'made post astro',
        'made post eleventy',
      ].sort(),
    )
    expect(await markdown.get('posts/from-jekyll')).toMatchObject({
      title: 'From Jekyll: it works',
      body: '<h1>A heading</h1>\n<p>Text with <b>HTML</b>.</p>',
      posted_at: '2024-05-04T10:00:00+00:00',
    })
    expect(await markdown.get('posts/hugo')).toMatchObject({
      title: 'Written with Hugo',
      excerpt: 'With TOML.',
      posted_at: '2024-05-01T08:00:00+00:00',
      updated_at: '2024-05-02T00:00:00+00:00',
      body: expect.stringContaining('<a href="https://static.example/about/">link</a>'),
    })
    expect((await markdown.get('posts/bundle')).body).toContain('<table>')
    expect(await markdown.get('posts/astro')).toMatchObject({
      posted_at: '2022-07-08T00:00:00+00:00',
      featured_image: { original: 'https://static.example/hero.jpg' },
    })
    expect(await markdown.get('posts/eleventy')).toMatchObject({
      title: 'Without a title',
      body: '<p>The heading is the title.</p>',
    })
  })
})
