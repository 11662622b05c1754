// Reading the synthesized template and resolving its intrinsic functions.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is the syntax of Fn::Sub.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadTemplate, resolver } from '../../infra/local/template/template.ts'
import { createTemplate, functionResource, PSEUDO_PARAMETERS, resolverFor } from './assembly.ts'

const TABLE = { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} }
const SECRET = { Type: 'AWS::SecretsManager::Secret', Properties: {} }

describe('the template of a cloud assembly', () => {
  it('returns resources by type and the folder of an asset', () => {
    const template = createTemplate({ Hello: functionResource('Hello'), Table: TABLE }, { Hello: '' })
    expect(template.stackName).toBe('Test')
    expect(template.resourcesOf('AWS::Lambda::Function').map(({ id }) => id)).toEqual(['Hello'])
    expect(existsSync(join(template.assetFolder('Hello.zip'), 'index.cjs'))).toBe(true)
    expect(() => template.assetFolder('other.zip')).toThrow(/other\.zip.*Synthesize/)
  })

  it('finds the resources to which a nested value refers', () => {
    const template = createTemplate({ Hello: functionResource('Hello'), Table: TABLE })
    const uri = { 'Fn::Join': ['', ['arn:', { Ref: 'Table' }, { 'Fn::GetAtt': ['Hello', 'Arn'] }, '/x']] }
    expect(template.referencesIn(uri, 'AWS::Lambda::Function')).toEqual(['Hello'])
    expect(template.referencesIn({ 'Fn::Sub': '${Table.Arn}/*' }, TABLE.Type)).toEqual(['Table'])
  })

  it('rejects a folder with several stacks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assembly-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['A', 'B']) writeFileSync(join(folder, `${name}.template.json`), '{}')
    expect(() => loadTemplate(folder)).toThrow(/holds 2 templates/)
  })
})

describe('the resolver', () => {
  const template = () =>
    createTemplate(
      { Table: TABLE, Key: SECRET },
      {},
      {
        Parameters: { Size: { Type: 'String', Default: 'small' }, Level: { Type: 'String', Default: 1 } },
        Conditions: {
          Small: { 'Fn::Equals': [{ Ref: 'Size' }, 'small'] },
          Never: { 'Fn::Not': [{ Condition: 'Small' }] },
        },
      },
    )
  const refs = new Map([
    ['Table', { ref: 'table-1', attributes: { Arn: 'arn:table-1', 'Stream.Arn': 'arn:s' } }],
  ])
  const values = {
    parameters: {},
    refs,
    pseudo: PSEUDO_PARAMETERS,
    secret: (id: string) => `{"key":"of ${id}"}`,
  }

  it('resolves references to resources by their local values', () => {
    const resolve = resolver(template(), values)
    expect(resolve({ Ref: 'Table' })).toBe('table-1')
    expect(resolve({ 'Fn::GetAtt': ['Table', 'Arn'] })).toBe('arn:table-1')
    expect(resolve({ 'Fn::GetAtt': 'Table.Stream.Arn' })).toBe('arn:s')
    expect(resolve({ a: [{ Ref: 'AWS::Region' }, 1, true, null] })).toEqual({
      a: ['eu-west-1', 1, true, null],
    })
  })

  it('evaluates string functions', () => {
    const resolve = resolver(template(), values)
    const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }
    expect(resolve({ 'Fn::Join': ['-', ['public', stackUuid]] })).toBe('public-0b1c2d3e')
    expect(resolve({ 'Fn::Sub': '${Table}:${Table.Arn}:${AWS::Region}:${!Kept}' })).toBe(
      'table-1:arn:table-1:eu-west-1:${Kept}',
    )
    expect(resolve({ 'Fn::Sub': ['${x}/${Level}', { x: { Ref: 'Table' } }] })).toBe('table-1/1')
  })

  it('evaluates conditions and removes AWS::NoValue', () => {
    const resolve = resolver(template(), values)
    const noValue = { Ref: 'AWS::NoValue' }
    expect(resolve({ 'Fn::If': ['Small', 'yes', 'no'] })).toBe('yes')
    expect(resolve({ 'Fn::If': ['Never', 'yes', 'no'] })).toBe('no')
    expect(resolve({ a: noValue, b: [noValue, 'kept'] })).toEqual({ b: ['kept'] })
    const large = resolver(template(), { ...values, parameters: { Size: 'large' } })
    expect(large({ 'Fn::If': ['Small', 'yes', 'no'] })).toBe('no')
  })

  it('resolves secrets, as a whole or one member', () => {
    const resolve = resolver(template(), values)
    const whole = { 'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: 'Key' }, ':SecretString:::}}']] }
    expect(resolve(whole)).toBe('{"key":"of Key"}')
    const arn = 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:s-1'
    expect(resolve(`<{{resolve:secretsmanager:${arn}:SecretString:key::}}>`)).toBe(`<of ${arn}>`)
    expect(() => resolve('{{resolve:secretsmanager:Key:SecretString:other::}}')).toThrow(
      /Key has no member other/,
    )
    expect(() => resolve('{{resolve:ssm:/a/b}}')).toThrow(/no ssm/)
  })

  it('throws with advice for a reference without a value', () => {
    const resolve = resolverFor(template())
    expect(() => resolve({ Ref: 'Table' })).toThrow(/Ref of Table \(AWS::DynamoDB::GlobalTable\).*Add one/)
    expect(() => resolve({ 'Fn::GetAtt': ['Table', 'Arn'] })).toThrow(/Arn of Table/)
    expect(() => resolve({ Ref: 'Ghost' })).toThrow(/Ghost, which the template does not declare/)
    expect(() => resolve({ 'Fn::Cidr': ['10.0.0.0/8', 1, 1] })).toThrow(/does not support Fn::Cidr/)
  })
})
