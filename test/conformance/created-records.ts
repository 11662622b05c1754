// Remembers what the suite has created, and deletes it at the end, whatever the checks found.
import { type Answer, at } from './answer.ts'
import type { Send } from './client.ts'

/** The collections whose records the suite creates, and the member that has its mark. */
const COLLECTIONS = [
  { path: '/admin/posts', list: '/admin/posts?per_page=100', name: 'title' },
  { path: '/admin/categories', list: '/admin/categories', name: 'name' },
  { path: '/admin/webhooks', list: '/admin/webhooks', name: 'name' },
]

/** Where a record that was created elsewhere is deleted. */
const DELETED_ELSEWHERE: Record<string, string> = { '/me/comments': '/admin/comments' }

type CreationRequest = { method: string; path: string; token: string | undefined }

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

export function openCreatedRecords({ mark, adminToken }: { mark: string; adminToken: string }) {
  const created = new Map<string, CreationRequest>()

  /** Looks at every answer, so that a record is deleted even if its check does not expect it. */
  function note(method: string, path: string, token: string | undefined, answer: Answer): void {
    if (method === 'DELETE' && (isSuccess(answer) || answer.status === 404)) created.delete(path)
    if (method === 'POST' && path === '/auth/logout' && isSuccess(answer)) created.delete(`token ${token}`)
    if (!isSuccess(answer)) return
    const issued = at(answer, 'data.token')
    if (method === 'POST' && typeof issued === 'string') {
      created.set(`token ${issued}`, { method: 'POST', path: '/auth/logout', token: issued })
    }
    if (method === 'PUT' && path.startsWith('/admin/menus/')) {
      created.set(path, { method: 'DELETE', path, token: adminToken })
    }
    const id = at(answer, 'data.id')
    const own = COLLECTIONS.find(collection => collection.path === path)?.path
    const home = own ?? DELETED_ELSEWHERE[path]
    if (method === 'POST' && home !== undefined && typeof id === 'number') {
      const remover = own === undefined ? adminToken : (token ?? adminToken)
      created.set(`${home}/${id}`, { method: 'DELETE', path: `${home}/${id}`, token: remover })
    }
  }

  async function remove(send: Send, { method, path, token }: CreationRequest): Promise<string | undefined> {
    const answer = await send(method, path, { token })
    return isSuccess(answer) || [401, 404].includes(answer.status)
      ? undefined
      : `${answer.request} answered ${answer.status}`
  }

  /** Records with the mark whose creation had no readable answer. */
  async function unnoticed(send: Send): Promise<CreationRequest[]> {
    const found: CreationRequest[] = []
    for (const { path, list, name } of COLLECTIONS) {
      const { json } = await send('GET', list, { token: adminToken })
      const items = at({ json }, 'data')
      for (const item of Array.isArray(items) ? items : []) {
        const [label, id] = [at({ json: item }, name), at({ json: item }, 'id')]
        if (typeof label === 'string' && label.includes(mark)) {
          found.push({ method: 'DELETE', path: `${path}/${id}`, token: adminToken })
        }
      }
    }
    return found
  }

  /** Deletes the newest record first. Returns what could not be deleted. */
  async function cleanUp(send: Send): Promise<string[]> {
    const left: string[] = []
    if (created.size === 0) return left
    const all = [...created.values()].reverse()
    for (const record of all) {
      const problem = await remove(send, record)
      if (problem) left.push(problem)
    }
    for (const record of await unnoticed(send)) {
      const problem = await remove(send, record)
      if (problem && !left.includes(problem)) left.push(problem)
    }
    created.clear()
    return left
  }

  return { note, cleanUp, count: () => created.size }
}
