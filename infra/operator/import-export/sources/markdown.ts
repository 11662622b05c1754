// A folder of Markdown files with front matter, as Hugo, Jekyll, Eleventy and Astro have them.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, posix, resolve, sep } from 'node:path'
import { OperatorError } from '../../operator-error.ts'
import type { Item, Source, Unusable } from '../item.ts'
import { openSlugs, postItem } from './foreign.ts'
import { categoryItem } from './foreign-items.ts'
import { readFrontMatter } from './front-matter.ts'
import { categoryNamesOf, type MarkdownFile, markdownPost } from './markdown-post.ts'

const MARKDOWN = /\.(?:md|markdown|mdx)$/i
const NOT_CONTENT = /(?:^|\/)(?:node_modules|README\.md|LICENSE\.md|CHANGELOG\.md|CONTRIBUTING\.md)(?:\/|$)/i

/** Throws OperatorError if the folder has no Markdown. */
export async function openMarkdown(folder: string, sourceUrl: string | undefined): Promise<Source> {
  const root = resolve(folder)
  const paths = await pathsIn(root)
  if (paths.length === 0) throw new OperatorError(`${folder} has no Markdown files.`)
  return {
    name: `markdown:${root}`,
    label: 'a folder of Markdown',
    lastIds: {},
    count: paths.length,
    items: () => readItems(root, paths, sourceUrl),
  }
}

/** In order, with slashes. */
async function pathsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile() && MARKDOWN.test(entry.name))
    .map(entry =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter(path => !NOT_CONTENT.test(path) && !path.split('/').some(part => part.startsWith('.')))
    .sort()
}

/** Reads each file twice, since posts come after all categories. */
async function* readItems(
  root: string,
  paths: string[],
  sourceUrl: string | undefined,
): AsyncGenerator<Item | Unusable> {
  const slugOfCategory = openSlugs()
  const keys = new Map<string, string>()
  for (const path of paths) {
    const file = await read(root, path)
    if ('problem' in file) continue
    for (const name of categoryNamesOf(file.members)) {
      const key = `category:${name.toLowerCase()}`
      if (keys.has(key)) continue
      keys.set(key, key)
      yield categoryItem({ key, name, slug: '', description: '' }, slugOfCategory)
    }
  }
  const slugOf = openSlugs()
  for (const path of paths) {
    const file = await read(root, path)
    const post = 'problem' in file ? file : markdownPost(file, sourceUrl)
    yield 'problem' in post ? post : postItem(post, slugOf)
  }
}

async function read(root: string, path: string): Promise<MarkdownFile | Unusable> {
  const file = join(root, ...path.split(posix.sep))
  const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
  try {
    return { path, changed_at: Math.floor(mtimeMs / 1000), ...readFrontMatter(text) }
  } catch (error) {
    const cause = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return { kind: 'post', label: path, problem: `Its front matter cannot be read: ${cause}`, isWrong: true }
  }
}
