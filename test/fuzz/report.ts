// Reads the findings from the report of schemathesis: each failed check with its request and answer.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import * as z from 'zod/mini'
import { jsonOf } from '../conformance/values.ts'

const Content = z.nullish(z.object({ $base64: z.string() }))
/** Empty if a scenario broke off. */
function byId<Schema extends z.ZodMiniType>(schema: Schema) {
  return z._default(z.record(z.string(), schema), {})
}

const Scenario = z.object({
  recorder: z.object({
    label: z.string(),
    checks: byId(
      z.array(
        z.object({
          name: z.string(),
          status: z.string(),
          failure_info: z.nullish(
            z.object({ failure: z.object({ operation: z.string(), message: z.string() }) }),
          ),
        }),
      ),
    ),
    interactions: byId(
      z.object({
        request: z.object({ method: z.string(), uri: z.string(), body: Content }),
        response: z.nullish(z.object({ status_code: z.int(), content: Content })),
      }),
    ),
    cases: byId(
      z.object({
        value: z.object({ meta: z.nullish(z.object({ phase: z.object({ data: z.unknown() }) })) }),
      }),
    ),
  }),
})
const Event = z.object({
  ScenarioFinished: z.optional(Scenario),
  NonFatalError: z.optional(z.unknown()),
  FatalError: z.optional(z.unknown()),
})
const Mutation = z.object({ description: z.nullish(z.string()) })
const Failure = z.object({
  errors: z.object({ code: z.string(), fields: z._default(z.record(z.string(), z.array(z.string())), {}) }),
})

export type Finding = {
  check: string
  /** The method and the path, as in the document. */
  operation: string
  status: number | undefined
  code: string | undefined
  /** The messages of the answer by field. */
  fields: Record<string, string[]>
  message: string
  /** How schemathesis made a valid request invalid. */
  description: string
  request: string
  answer: string
}

function textOf(content: z.infer<typeof Content>): string {
  return content ? Buffer.from(content.$base64, 'base64').toString('utf8') : ''
}

function findingsOf({ recorder }: z.infer<typeof Scenario>): Finding[] {
  return Object.entries(recorder.checks).flatMap(([id, checks]) =>
    checks
      .filter(({ status }) => status === 'failure')
      .map(({ name, failure_info }) => {
        const { request, response } = recorder.interactions[id] ?? {}
        const answer = textOf(response?.content)
        const { errors } = Failure.safeParse(jsonOf(answer)).data ?? {}
        const mutation = Mutation.safeParse(recorder.cases[id]?.value.meta?.phase.data)
        return {
          check: name,
          operation: failure_info?.failure.operation ?? recorder.label,
          status: response?.status_code,
          code: errors?.code,
          fields: errors?.fields ?? {},
          message: failure_info?.failure.message ?? '',
          description: mutation.data?.description ?? '',
          request: `${request?.method} ${request?.uri} ${textOf(request?.body)}`,
          answer,
        }
      }),
  )
}

export async function readReport(file: string) {
  const findings: Finding[] = []
  const errors: string[] = []
  let cases = 0
  for await (const line of createInterface(createReadStream(file))) {
    const { ScenarioFinished, NonFatalError, FatalError } = Event.parse(JSON.parse(line))
    if (NonFatalError ?? FatalError) errors.push(line.slice(0, 2_000))
    if (!ScenarioFinished) continue
    cases += Object.keys(ScenarioFinished.recorder.interactions).length
    for (const finding of findingsOf(ScenarioFinished)) findings.push(finding)
  }
  return { cases, findings, errors }
}
