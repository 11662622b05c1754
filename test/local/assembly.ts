// Writes a small cloud assembly to a temporary folder: a template, assets, and functions in plain JavaScript.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadTemplate, resolver, type Template } from '../../infra/local/template/template.ts'

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>

export const PSEUDO_PARAMETERS = {
  'AWS::StackId': 'arn:aws:cloudformation:eu-west-1:000000000000:stack/Test/0b1c2d3e',
  'AWS::StackName': 'Test',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '000000000000',
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

/** The context of a test: tests that run side by side give their own. */
export type TestContext = { onTestFinished: typeof onTestFinished }

/** Removes the folder after the test. @param code the source of each function, by logical id. */
export function createTemplate(
  resources: Resources,
  code: Record<string, string> = {},
  sections: Record<string, unknown> = {},
  test: TestContext = { onTestFinished },
): Template {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'))
  test.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files: Record<string, unknown> = {}
  for (const [id, source] of Object.entries(code)) {
    mkdirSync(join(folder, `asset.${id}`))
    writeFileSync(join(folder, `asset.${id}`, 'index.cjs'), source)
    files[id] = { source: { path: `asset.${id}` }, destinations: { here: { objectKey: `${id}.zip` } } }
  }
  writeFileSync(join(folder, 'Test.template.json'), JSON.stringify({ ...sections, Resources: resources }))
  writeFileSync(join(folder, 'Test.assets.json'), JSON.stringify({ files }))
  return loadTemplate(folder)
}

/** A function resource. `createTemplate` takes its code under the same id. */
export function functionResource(id: string, properties: Record<string, unknown> = {}) {
  const Code = { S3Bucket: 'assets', S3Key: `${id}.zip` }
  return { Type: 'AWS::Lambda::Function', Properties: { Code, Handler: 'index.handler', ...properties } }
}

export function resolverFor(template: Template) {
  return resolver(template, {
    parameters: {},
    refs: new Map(),
    pseudo: PSEUDO_PARAMETERS,
    secret: id => `secret of ${id}`,
  })
}
