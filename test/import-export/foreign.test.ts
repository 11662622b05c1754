// Samples of Ghost, WordPress and Markdown, imported as the owner does.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { operatorOn } from '../operator/operator-world.ts'
import { useWorld, type World } from '../support/world.ts'

const ghostWorld = useWorld({ isNew: true })
const wordpressWorld = useWorld()
const markdownWorld = useWorld()

function sample(name: string): string {
  return fileURLToPath(new URL(`samples/${name}`, import.meta.url))
}

const Data = z.object({ data: z.any() })

async function get(world: World, path: string) {
  const headers = { Authorization: `Bearer ${world.admin}` }
  const response = await fetch(`${world.baseUrl}/api/v1/${path}`, { headers })
  return Data.parse(await response.json()).data
}

type Line = { outcome: string; kind: string; label: string; reason?: string }

/** Without ids, which depend on what the service had before, in the order of the alphabet. */
function linesOf(report: { records: Line[] }): string[] {
  const lines = report.records.map(({ outcome, kind, label, reason = '' }) =>
    `${outcome} ${kind} ${label} ${reason}`.trim(),
  )
  return lines.sort()
}

async function isComplete(world: World, repeated: string[]): Promise<void> {
  const operator = operatorOn(world)
  const again = await operator.json(['import', ...repeated])
  expect(again.records.filter(({ outcome }: Line) => outcome === 'made' || outcome === 'updated')).toEqual([])
  expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
}

describe('an export of Ghost', () => {
  it('becomes posts, pages, tags as categories and accounts', async () => {
    const { json } = operatorOn(ghostWorld)
    const call = [sample('ghost.json'), '--source-url', 'https://ghost.example/']
    const report = await json(['import', ...call])
    expect(linesOf(report)).toEqual(
      [
        'made user grace@ghost.example',
        'made user alan@ghost.example',
        'made category news',
        'made category deja-vu',
        'made post coming-soon It also has the authors Grace Hopper.',
        'made page about',
        'made post for-members It was for members only, so it is a draft.',
        'made post not-yet It has no text.',
        'made post new-year-2099',
      ].sort(),
    )
    expect(await get(ghostWorld, 'posts/coming-soon')).toMatchObject({
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
    expect((await get(ghostWorld, 'posts')).map(({ slug }: { slug: string }) => slug)).toEqual([
      'coming-soon',
    ])
    expect((await get(ghostWorld, 'pages')).map(({ slug }: { slug: string }) => slug)).toEqual(['about'])
    expect((await get(ghostWorld, 'search?q=soon')).total).toBe(1)
    const states = (await get(ghostWorld, 'admin/posts')).map(({ slug, status }: Record<string, string>) => [
      slug,
      status,
    ])
    expect(Object.fromEntries(states)).toMatchObject({
      'for-members': 'draft',
      'not-yet': 'draft',
      'new-year-2099': 'scheduled',
    })
    await isComplete(ghostWorld, call)
  })
})

describe('an export of WordPress', () => {
  it('becomes posts, pages, categories, accounts and approved comments', async () => {
    const { json } = operatorOn(wordpressWorld)
    const call = [sample('wordpress.xml')]
    const report = await json(['import', ...call])
    expect(linesOf(report)).toEqual(
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
    expect(await get(wordpressWorld, 'posts/classic')).toMatchObject({
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
    expect((await get(wordpressWorld, 'posts/blocks')).body).toBe(
      '<p>A block of text.</p>\n\n<figure class="wp-block-image"><img src="https://wp.example/wp-content/uploads/2024/05/cover.jpg" alt=""/></figure>',
    )
    const [first, reply] = await get(wordpressWorld, 'posts/classic/comments')
    expect(first).toMatchObject({
      author: { name: 'A reader' },
      body: 'Well said & done.\nIn two lines.',
      created_at: '2024-05-03T10:00:00+00:00',
    })
    expect(reply).toMatchObject({ parent_id: first.id, author: { name: 'Ada & Co' }, body: 'Thank you.' })
    await isComplete(wordpressWorld, call)
  })
})

describe('a folder of Markdown', () => {
  it('becomes posts and pages, whichever generator it was for', async () => {
    const { json } = operatorOn(markdownWorld)
    const call = [sample('markdown'), '--source-url', 'https://static.example']
    const report = await json(['import', ...call], { code: 1 })
    expect(linesOf(report).filter(line => !line.includes('broken.md'))).toEqual(
      [
        'made category news',
        'made category update',
        'made category guides',
        'made category go',
        'made post unfinished',
        'made post from-jekyll',
        'skipped page content/_index.md It is the start page of a folder.',
        'made page about',
        'made post bundle',
        'made post hugo It has template tags, which stay as they are.',
        'made post astro',
        'made post eleventy',
      ].sort(),
    )
    expect(linesOf(report).find(line => line.includes('broken.md'))).toContain('front matter cannot be read')
    expect(await get(markdownWorld, 'posts/from-jekyll')).toMatchObject({
      title: 'From Jekyll: it works',
      body: '<h1>A heading</h1>\n<p>Text with <b>HTML</b>.</p>',
      posted_at: '2024-05-04T10:00:00+00:00',
    })
    expect(await get(markdownWorld, 'posts/hugo')).toMatchObject({
      title: 'Written with Hugo',
      excerpt: 'With TOML.',
      posted_at: '2024-05-01T08:00:00+00:00',
      updated_at: '2024-05-02T00:00:00+00:00',
      body: expect.stringContaining('<a href="https://static.example/about/">link</a>'),
    })
    expect((await get(markdownWorld, 'posts/bundle')).body).toContain('<table>')
    expect(await get(markdownWorld, 'posts/astro')).toMatchObject({
      posted_at: '2022-07-08T00:00:00+00:00',
      featured_image: { original: 'https://static.example/hero.jpg' },
    })
    expect(await get(markdownWorld, 'posts/eleventy')).toMatchObject({
      title: 'Without a title',
      body: '<p>The heading is the title.</p>',
    })
    const operator = operatorOn(markdownWorld)
    expect((await operator.json(['import', ...call], { code: 1 })).counts.post).toEqual({
      wrong: 1,
      skipped: 6,
    })
    expect((await operator.run(['doctor'])).out).toContain('Nothing is wrong.')
  })
})
