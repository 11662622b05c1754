// A folder of Markdown files with front matter, as Hugo, Jekyll, Eleventy and Astro have them.
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, posix, resolve } from 'node:path'
import { OperatorError } from '../../command.ts'
import { readText } from './files.ts'
import { foreignSource, noRecords } from './foreign.ts'
import { readFrontMatter } from './front-matter.ts'
import { type ContentFile, type Folder, postFrom } from './markdown-post.ts'
import { messageOf, Skip, type Source, type SourceOptions, type UnusableRecord, unusable } from './source.ts'

const CONTENT = /\.(?:md|markdown|mdown|mkd|mkdn|mkdown|mdx|html?)$/i
const HTML = /\.html?$/i
/** Content of generators that no library here reads. */
const OTHER_MARKUP = /\.(?:textile|adoc|asciidoc|org|rst|rmd|qmd|mdoc|pdc|pandoc|njk|liquid|hbs|pug)$/i
const NO_CONTENT = /^(?:README|LICENSE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY)\.md$/i
/** Templates, build output and code of the generators: anywhere, and at the top of a project. */
const NEVER = /^(?:node_modules|_includes|_layouts|_data|_sass|_site|_plugins|archetypes)$/
const NOT_AT_TOP =
  /^(?:layouts|themes|public|dist|build|out|resources|static|assets|vendor|i18n|data|partials|templates)$/

/** Throws OperatorError if the folder has no content. */
export async function openMarkdown(
  folder: string,
  { sourceUrl, nowSeconds }: SourceOptions,
): Promise<Source> {
  const root = resolve(folder)
  const records = noRecords()
  const { paths, isJekyll } = await pathsIn(root, records.unusable)
  if (paths.length === 0) throw new OperatorError(`${folder} has no Markdown files.`)
  const context: Folder = { sourceUrl, isJekyll, nowSeconds }
  for (const path of paths) {
    try {
      const file = await readContent(root, path)
      if (file) records.posts.push(postFrom(file, context))
    } catch (error) {
      const kind = error instanceof Skip ? 'page' : 'post'
      records.unusable.push(unusable(kind, path, error))
    }
  }
  return foreignSource(`markdown:${root}`, 'a folder of Markdown', records, nowSeconds)
}

/** In order, with slashes. */
async function pathsIn(
  root: string,
  left: UnusableRecord[],
): Promise<{ paths: string[]; isJekyll: boolean }> {
  const paths: string[] = []
  let isJekyll = /^_(?:posts|drafts)$/.test(basename(root))
  const folders = ['']
  // The list grows while it is walked.
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const { name } = entry
      const path = posix.join(folder, name)
      if (/^_(?:posts|drafts|config\.ya?ml)$/.test(name)) isJekyll = true
      if (name.startsWith('.')) continue
      const problem = problemOf(entry, folder)
      if (problem !== undefined) {
        const kind = entry.isDirectory() ? 'folder' : 'file'
        left.push({ outcome: 'skipped', kind, label: path, reason: problem })
      } else if (entry.isDirectory()) {
        folders.push(path)
      } else if (CONTENT.test(name)) {
        paths.push(path)
      }
    }
  }
  return { paths: paths.sort(), isJekyll }
}

/** Links are not followed: they may lead outside, or in a circle. */
function problemOf(entry: Dirent, folder: string): string | undefined {
  const { name } = entry
  if (entry.isSymbolicLink()) return 'Links are not followed.'
  if (entry.isFile() && NO_CONTENT.test(name)) return 'Its name is that of a file about the project.'
  if (entry.isFile()) return OTHER_MARKUP.test(name) ? 'It is no Markdown.' : undefined
  const isCode = NEVER.test(name) || (folder === '' && NOT_AT_TOP.test(name))
  return isCode ? 'It has no content: name the content folder to import it alone.' : undefined
}

/** Undefined for HTML without front matter: templates, and pages that no generator makes. Throws. */
async function readContent(root: string, path: string): Promise<ContentFile | undefined> {
  const { text, brokenAt } = await readText(join(root, path))
  if (HTML.test(path) && !/^\s*(?:---|\+\+\+)/.test(text)) return undefined
  if (brokenAt !== undefined) throw new Error(`Line ${brokenAt} has bytes that are not UTF-8.`)
  if (text.includes('\0')) throw new Error('It has bytes of no text: save it as UTF-8.')
  try {
    return { path, ...readFrontMatter(text) }
  } catch (error) {
    throw new Error(`Its front matter cannot be read: ${messageOf(error).split('\n')[0]}`)
  }
}
