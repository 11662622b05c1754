// What a check expects of the status and the code of an answer.
import type { Answer } from './client.ts'
import { fallShort } from './outcome.ts'
import { equal, shown } from './values.ts'

/** Falls short unless the status is one of these, or any success if none is given. */
export function succeeds(answer: Answer, ...statuses: number[]): Answer {
  const { status, request } = answer
  const isExpected = statuses.length > 0 ? statuses.includes(status) : status >= 200 && status < 300
  if (isExpected) return answer
  const expected = statuses.join(' or ') || 'a success'
  fallShort(`${request} answered ${status} ${shown(answer.json ?? answer.text)}, and not ${expected}.`)
}

export function fails(answer: Answer, status: number, code: string): Answer {
  succeeds(answer, status)
  equal(answer, 'errors.code', code)
  return answer
}

/** A field that breaks a rule: the answer of every endpoint that reads it. */
export function isInvalid(answer: Answer): Answer {
  return fails(answer, 422, 'VALIDATION_ERROR')
}

/** Whether no value is smaller than the one before it. */
export function isSorted(values: number[]): boolean {
  return values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value)
}
