// What a source gives to an import, without a service: a line for each record.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { labelOf, type RecordOf } from '../../infra/operator/import-export/format.ts'
import {
  type Entry,
  openSource,
  type SourceOptions,
  type UnusableRecord,
} from '../../infra/operator/import-export/sources/source.ts'
import { newFolder } from '../support/folder.ts'

export const NOW_SECONDS = Date.parse('2026-11-01T12:00:00Z') / 1000

export function sample(name: string): string {
  return fileURLToPath(new URL(`samples/${name}`, import.meta.url))
}

export function seconds(time: string): number {
  return Date.parse(time) / 1000
}

/** Writes files into a new folder, by their paths. */
export async function folderOf(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await newFolder()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

/** The same of one file that is written first. */
export async function readContent(
  name: string,
  content: string | Buffer,
  options: Partial<SourceOptions> = {},
) {
  return await read(join(await folderOf({ [name]: content }), name), options)
}

export async function read(files: string | string[], options: Partial<SourceOptions> = {}) {
  const source = await openSource([files].flat(), { nowSeconds: NOW_SECONDS, ...options })
  const all: (Entry | UnusableRecord)[] = []
  for await (const entry of source.entries()) all.push(entry)
  const entries = all.flatMap(entry => ('outcome' in entry ? [] : [entry]))
  const unusable = all.flatMap(entry => ('outcome' in entry ? [entry] : []))
  const line = ({ label, reason }: UnusableRecord) => `${label}: ${reason}`
  const posts = entries.flatMap(({ record }): RecordOf<'post'>[] => (record.type === 'post' ? [record] : []))
  return {
    entries,
    posts,
    post: (slug: string) => posts.find(post => post.slug === slug),
    names: (type: string) =>
      entries.filter(({ record }) => record.type === type).map(({ record }) => labelOf(record)),
    notes: (label: string) => entries.find(({ record }) => labelOf(record) === label)?.notes.join(' ') ?? '',
    wrong: unusable.filter(({ outcome }) => outcome === 'wrong').map(line),
    left: unusable.filter(({ outcome }) => outcome === 'skipped').map(line),
  }
}

/** An export of WordPress with these items. */
export function wxr(...items: string[]): string {
  const head =
    '<?xml version="1.0" encoding="UTF-8" ?><rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/">'
  const version =
    '<wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://old.example</wp:base_blog_url>'
  return `${head}<channel>${version}${items.join('')}</channel></rss>`
}

export async function readWxr(...items: string[]) {
  return await readContent('a.xml', wxr(...items))
}

/** An export of Ghost with these tables. */
export async function readGhost(data: Record<string, object[]>) {
  return await readContent('a.json', JSON.stringify({ data }))
}

/** `more`: further elements, such as `<link>`. */
export function wxrItem(id: number | string, slug: string, content = '', more = ''): string {
  return `<item><title>Post ${id}</title><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${id}</wp:post_id><wp:post_name>${slug}</wp:post_name><wp:status>publish</wp:status><wp:post_date_gmt>2020-01-02 03:04:05</wp:post_date_gmt><wp:post_type>post</wp:post_type>${more}</item>`
}

/** A custom field. */
export function wxrMeta(key: string, value: string): string {
  return `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`
}

/** A sample of a fault that users of other systems report. */
export function field(name: string): string {
  return sample(`field/${name}`)
}

/** The post of a folder with one file. */
export async function postOf(text: string, name = 'posts/2020-05-04-name.md') {
  const { posts, wrong, entries } = await read(await folderOf({ [name]: text }), {
    sourceUrl: 'https://old.example',
  })
  return { post: posts[0], wrong, notes: entries.at(-1)?.notes.join(' ') ?? '' }
}
