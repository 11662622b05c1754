// A client with openapi-fetch, on types of openapi-typescript: logs in, lists, creates and publishes.
import createClient from 'openapi-fetch'
import type { paths } from './.generated/openapi-fetch/api.d.ts'

const { API = 'http://127.0.0.1:3000', EMAIL = '', PASSWORD = '', ADMIN_TOKEN = '' } = process.env
const api = createClient<paths>({ baseUrl: API })
const admin = createClient<paths>({ baseUrl: API, headers: { Authorization: `Bearer ${ADMIN_TOKEN}` } })

const login = await api.POST('/api/v1/auth/login', { body: { email: EMAIL, password: PASSWORD } })
if (login.error) throw new Error(login.error.message)

const list = await api.GET('/api/v1/posts', { params: { query: { per_page: 2 } } })
if (list.error) throw new Error(list.error.message)

const draft = { title: 'From openapi-fetch', body: '<p>Hello.</p>' }
const created = await admin.POST('/api/v1/admin/posts', { body: draft })
if (created.error) throw new Error(created.error.message)

const { id } = created.data.data
const published = await admin.POST('/api/v1/admin/posts/{id}/publish', { params: { path: { id } } })
if (published.error) throw new Error(published.error.message)

const { slug, status } = published.data.data
console.log(
  JSON.stringify({ user: login.data.data.user.email, total: list.data.pagination.total, slug, status }),
)
