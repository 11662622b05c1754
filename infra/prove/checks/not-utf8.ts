// Texts that are not UTF-8: whether bodies come to functions as bytes, and what queries are decoded to.
import { NOT_UTF8 } from '../../../shared/http/text.ts'
import { type Check, heldUnless } from '../check.ts'
import { codeOf } from '../http.ts'

/** The POST makes no record even where the check does not hold: it lacks the required members. */
const CASES = [
  { method: 'POST', path: '/api/v1/contact', body: Buffer.from('{"unknown":"caf\xe9"}', 'latin1') },
  { method: 'GET', path: '/api/v1/posts?category=caf%E9' },
  { method: 'GET', path: '/api/v1/posts/caf%E9' },
]

export const NOT_UTF8_CHECK: Check = {
  name: 'Texts that are not UTF-8',
  did: 'POST /api/v1/contact with a body in Latin-1, and GET with %E9 in the query and in the path.',
  expected: `422 that says so: ${NOT_UTF8}`,
  run: async stage => {
    const wrong: string[] = []
    for (const { method, path, ...input } of CASES) {
      const answer = await stage.ask(method, path, input)
      if (answer.status === 422 && answer.body.includes(NOT_UTF8)) continue
      wrong.push(`${method} ${path} answers ${codeOf(answer)}.`)
    }
    return heldUnless(wrong, `all ${CASES.length} answers`)
  },
}
