// A client of @hey-api/openapi-ts: logs in, lists, creates and publishes.

import { client } from './.generated/hey-api/client.gen.ts'
import { adminCreatePost, adminPublishPost, listPosts, login } from './.generated/hey-api/index.ts'

const { API = 'http://127.0.0.1:3000', EMAIL = '', PASSWORD = '', ADMIN_TOKEN = '' } = process.env
client.setConfig({ baseUrl: API, auth: ADMIN_TOKEN, throwOnError: true })
const throwOnError = true

const loggedIn = await login({ body: { email: EMAIL, password: PASSWORD }, throwOnError })
const list = await listPosts({ query: { per_page: 2 }, throwOnError })

const draft = { title: 'From hey-api', body: '<p>Hello.</p>' }
const created = await adminCreatePost({ body: draft, throwOnError })
const published = await adminPublishPost({ path: { id: created.data.data.id }, throwOnError })

const { user } = loggedIn.data.data
const { slug, status } = published.data.data
console.log(JSON.stringify({ user: user.email, total: list.data.pagination.total, slug, status }))
