// Compares the pages of a built site with the posts.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientPost } from './content.ts'

const ENTITIES: Record<string, string> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'", '&#34;': '"', '&amp;': '&' },
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** The text of the first heading. */
function headingOf(html: string): string {
  const [, heading = ''] = html.match(/<h1[^>]*>(.*?)<\/h1>/s) ?? []
  return heading.replace(/&#?\w+;/g, entity => ENTITIES[entity] ?? entity)
}

/** The page has the title and the body of its post, byte for byte but for white space. */
export function faultsOfPage(html: string, { slug, title, body }: ClientPost): string[] {
  return [
    ...(withoutSpace(headingOf(html)) === withoutSpace(title) ? [] : [`${slug} lacks its title: ${title}`]),
    ...(withoutSpace(html).includes(withoutSpace(body)) ? [] : [`${slug} lacks its body`]),
  ]
}

/** `fileOf` names the file of a post's page below the output of the build. */
export async function faultsOfSite(
  output: string,
  posts: Iterable<ClientPost>,
  fileOf: (slug: string) => string,
): Promise<string[]> {
  const faults: string[] = []
  for (const post of posts) {
    const file = join(output, fileOf(post.slug))
    faults.push(
      ...(existsSync(file) ? faultsOfPage(await readFile(file, 'utf8'), post) : [`${post.slug} has no page`]),
    )
  }
  return faults
}
