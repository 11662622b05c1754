// What a site builder writes: all posts from cursor to cursor, then each post by itself, with the token of a build.
const { API = '', TOKEN = '' } = process.env
const headers = { Authorization: `Bearer ${TOKEN}` }

async function read(path) {
  const response = await fetch(`${API}/api/v1${path}`, { headers })
  const answer = await response.json()
  if (!answer.success) throw new Error(`${path}: ${answer.errors.code} ${answer.message}`)
  return answer
}

export async function readPosts() {
  const slugs = []
  let after = ''
  do {
    const { data, cursor } = await read(`/posts?order=oldest&per_page=50${after && `&after=${after}`}`)
    slugs.push(...data.map(({ slug }) => slug))
    after = cursor.next
  } while (after)
  const posts = []
  for (const slug of slugs) posts.push((await read(`/posts/${encodeURIComponent(slug)}`)).data)
  return posts
}
