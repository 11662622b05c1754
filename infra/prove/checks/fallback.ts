// Paths and methods that no resource of the gateway has.
import { type Check, heldUnless } from '../check.ts'
import { codeOf, type HttpAnswer } from '../http.ts'

type Case = { method: string; path: string; withToken: boolean; wanted: string }

const NOT_FOUND = '404 NOT_FOUND'
const CASES: Case[] = [
  { method: 'OPTIONS', path: '/api/v1/posts', withToken: false, wanted: '204' },
  { method: 'OPTIONS', path: '/api/v1/no/such/path', withToken: false, wanted: '204' },
  { method: 'PUT', path: '/api/v1/posts', withToken: false, wanted: NOT_FOUND },
  { method: 'PUT', path: '/api/v1/posts', withToken: true, wanted: NOT_FOUND },
  { method: 'GET', path: '/api/v1/no/such/path', withToken: false, wanted: NOT_FOUND },
  { method: 'GET', path: '/api/v1/no/such/path', withToken: true, wanted: NOT_FOUND },
]

export const FALLBACK_CHECK: Check = {
  name: 'Fallback to /{proxy+}',
  did: 'OPTIONS, a wrong method and an unknown path; the last two without a token and with a bearer token.',
  expected: '204 with CORS headers, and 404 NOT_FOUND in the envelope: no 403 for a bad AWS signature.',
  run: async stage => {
    const wrong: string[] = []
    for (const { method, path, withToken, wanted } of CASES) {
      const answer = await (withToken ? stage.askAsAdmin : stage.ask)(method, path)
      const found = codeOf(answer)
      const name = `${method} ${path}${withToken ? ' with a token' : ''}`
      if (found !== wanted) wrong.push(`${name} answers ${found}.`)
      if (method === 'OPTIONS' && !allowsMethods(answer)) wrong.push(`${name} has no CORS headers.`)
    }
    return heldUnless(wrong, `all ${CASES.length} answers`)
  },
}

function allowsMethods({ headers }: HttpAnswer): boolean {
  return headers['access-control-allow-methods']?.includes('PATCH') === true
}
