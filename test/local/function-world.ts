// Runs one function of plain JavaScript in its own pool.
import { onTestFinished } from 'vitest'
import { createFunctions } from '../../infra/local/lambda/functions.ts'
import { createTemplate, functionResource, resolverFor } from './assembly.ts'

/** @param handler the body of the handler, with `event` and `context`. @param before code before it. */
export function createFunction(handler: string, properties: Record<string, unknown> = {}, before = '') {
  const source = `${before}\nexports.handler = async (event, context) => { ${handler} }`
  const template = createTemplate({ F: functionResource('F', properties) }, { F: source })
  const lines: string[] = []
  const functions = createFunctions({
    resources: template.resourcesOf('AWS::Lambda::Function'),
    resolve: resolverFor(template),
    assetFolder: template.assetFolder,
    environment: { AWS_REGION: 'eu-west-1' },
    log: (functionId, line) => lines.push(`${functionId} ${line}`),
  })
  onTestFinished(() => functions.stop())
  const folder = template.assetFolder('F.zip')
  return { functions, folder, lines, call: (event: unknown = {}) => functions.invoke('F', event) }
}
