// A folder of Markdown files with front matter, as Hugo, Jekyll, Eleventy and Astro have them.
import { readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { OperatorError } from '../../command.ts'
import { type Collector, openCollector } from './foreign.ts'
import { readFrontMatter } from './front-matter.ts'
import { type ContentFile, categoryKey, categoryNamesOf, type Folder, postFrom } from './markdown-post.ts'
import type { SourceOptions } from './open-source.ts'
import type { Source } from './source.ts'
import { decode, readBytes } from './text-file.ts'

const MARKDOWN = /\.(?:md|markdown|mdx)$/i
const HTML = /\.html?$/i
const NO_CONTENT = /^(?:README|LICENSE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY)\.md$/i
/** Templates, build output and code of the generators: anywhere, and at the top of a project. */
const NEVER = /^(?:node_modules|_includes|_layouts|_data|_sass|_site|_plugins|archetypes)$/
const NOT_AT_TOP =
  /^(?:layouts|themes|public|dist|build|out|resources|static|assets|vendor|i18n|data|partials|templates)$/
const MAX_FILES = 200_000
const MAX_DEPTH = 50
const LARGEST_FILE = 5_000_000

/** Throws OperatorError if the folder has no content. */
export async function openMarkdown(
  folder: string,
  { sourceUrl, nowSeconds }: SourceOptions,
): Promise<Source> {
  const root = resolve(folder)
  const collector = openCollector(nowSeconds)
  const { paths, isJekyll } = await pathsIn(root, collector)
  if (paths.length === 0) throw new OperatorError(`${folder} has no Markdown files.`)
  const files = await readFiles(root, paths, collector)
  const context: Folder = { sourceUrl, isJekyll, nowSeconds }
  for (const file of files) {
    for (const name of categoryNamesOf(file, context)) {
      const key = categoryKey(name)
      if (!collector.hasCategory(key)) collector.addCategory({ key, name, slug: '', description: '' })
    }
  }
  for (const file of files) addPost(file, context, collector)
  return {
    name: `markdown:${root}`,
    label: 'a folder of Markdown',
    count: collector.count(),
    entries: collector.entries,
  }
}

/** In order, with slashes. Links are not followed: they may lead outside, or in a circle. */
async function pathsIn(root: string, collector: Collector): Promise<{ paths: string[]; isJekyll: boolean }> {
  const paths: string[] = []
  let isJekyll = /^_(?:posts|drafts)$/.test(basename(root))
  const leaveOut = (label: string, problem: string) =>
    collector.leaveOut({ kind: 'folder', label, problem, isWrong: false })
  const folders = ['']
  // The list grows while it is walked.
  for (const folder of folders) {
    const depth = folder.split('/').length
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}${folder === '' ? '' : '/'}${entry.name}`
      if (/^_(?:posts|drafts|config\.ya?ml)$/.test(entry.name)) isJekyll = true
      if (entry.name.startsWith('.')) continue
      if (entry.isSymbolicLink()) {
        leaveOut(path, 'Links are not followed.')
      } else if (entry.isDirectory()) {
        const isCode = NEVER.test(entry.name) || (folder === '' && NOT_AT_TOP.test(entry.name))
        if (isCode) {
          leaveOut(path, 'It has no content: name the content folder to import it alone.')
        } else if (depth > MAX_DEPTH) {
          leaveOut(path, `It is deeper than ${MAX_DEPTH} folders.`)
        } else {
          folders.push(path)
        }
      } else if (entry.isFile() && !NO_CONTENT.test(entry.name)) {
        if (MARKDOWN.test(entry.name) || HTML.test(entry.name)) paths.push(path)
      }
      if (paths.length > MAX_FILES) throw new OperatorError(`${root} has more than ${MAX_FILES} files.`)
    }
  }
  return { paths: paths.sort(), isJekyll }
}

async function readFiles(root: string, paths: string[], collector: Collector): Promise<ContentFile[]> {
  const files: ContentFile[] = []
  for (const path of paths) {
    try {
      const { text, brokenAt } = decode(await readBytes(join(root, path), LARGEST_FILE), 'UTF-8')
      // Other HTML files are templates or pages that no generator makes.
      if (HTML.test(path) && !/^\ufeff?(?:---|\+\+\+)/.test(text)) continue
      if (brokenAt !== undefined) throw new Error(`Line ${brokenAt} has bytes that are not UTF-8`)
      files.push({ path, ...readMembers(text) })
    } catch (error) {
      leaveOutWrong(path, error, collector)
    }
  }
  return files
}

function readMembers(text: string) {
  try {
    return readFrontMatter(text)
  } catch (error) {
    const cause = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new Error(`Its front matter cannot be read: ${cause}`)
  }
}

function addPost(file: ContentFile, context: Folder, collector: Collector): void {
  try {
    const post = postFrom(file, context)
    if ('problem' in post) {
      collector.leaveOut(post)
    } else {
      collector.addPost(post)
    }
  } catch (error) {
    leaveOutWrong(file.path, error, collector)
  }
}

function leaveOutWrong(label: string, error: unknown, collector: Collector): void {
  const problem = `${error instanceof Error ? error.message : error}`.replace(/\.?$/, '.')
  collector.leaveOut({ kind: 'post', label, problem, isWrong: true })
}
