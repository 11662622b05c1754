// The access log of the stage: one line for each answer, in the format of the template, at level debug.
import * as z from 'zod/mini'
import type { Log } from '../log.ts'
import type { Template } from '../template/template.ts'
import type { Answer } from './answer.ts'
import { contextVariables, type GatewayRequest } from './gateway-request.ts'
import { fillTemplate } from './mapping.ts'

/** @param resource the declared path, if one matched. */
export type LogAccess = (request: GatewayRequest, answer: Answer, resource: string | undefined) => void

const Stage = z.object({
  AccessLogSetting: z.optional(z.object({ Format: z.string() })),
})

/** Variables of the integration and of errors stay empty. */
export function createAccessLog(template: Template, log: Log): LogAccess {
  const [stage] = template.resourcesOf('AWS::ApiGateway::Stage')
  const format = Stage.parse(stage?.properties ?? {}).AccessLogSetting?.Format
  if (format === undefined) return () => undefined
  return (request, { statusCode, body }, resource = '') => {
    const line = fillTemplate(format, {
      ...contextVariables(request),
      resourcePath: resource,
      requestTimeEpoch: String(request.receivedAtMs),
      status: String(statusCode),
      responseLength: String(body.length),
      responseLatency: String(Date.now() - request.receivedAtMs),
    })
    log(`gateway: ${line}`, 'debug')
  }
}
