// Resolves CloudFormation's intrinsic functions and dynamic references, as a deployment does.
import type { Template } from './template.ts'

export type ResolverValues = {
  /** Override the template's defaults. */
  parameters: Record<string, string>
  /** The Ref and the attributes of each resource on this machine. */
  refs: Map<string, { ref: string; attributes: Record<string, string> }>
  /** AWS::StackId, AWS::Region, AWS::AccountId, AWS::Partition, AWS::URLSuffix, AWS::StackName. */
  pseudo: Record<string, string>
  /** The value of a secret, by its Ref if `refs` has one, or else by its logical id. */
  secret: (logicalIdOrArn: string) => string
}

export type Resolve = (value: unknown) => unknown

type Fields = Record<string, unknown>

/** Returns a function that resolves any value of the template. It throws for references without a value. */
export function resolver(template: Template, values: ResolverValues): Resolve {
  const functions: Record<string, (argument: unknown) => unknown> = {
    Ref: name => ref(String(name)),
    Condition: name => condition(name),
    'Fn::GetAtt': argument => {
      const [id = '', ...attribute] = Array.isArray(argument)
        ? argument.map(String)
        : String(argument).split('.')
      return attributeOf(id, attribute.join('.'))
    },
    'Fn::Join': argument => {
      const [separator, parts] = list(argument, 'Fn::Join')
      return dynamic(list(resolve(parts), 'Fn::Join').map(String).join(String(separator)))
    },
    'Fn::Sub': argument => {
      const [text, names] = Array.isArray(argument) ? argument : [argument, {}]
      return dynamic(substitute(String(text), isFields(names) ? names : {}))
    },
    'Fn::Select': argument => {
      const [index, items] = list(argument, 'Fn::Select')
      return list(resolve(items), 'Fn::Select')[Number(resolve(index))]
    },
    'Fn::Split': argument => {
      const [separator, text] = list(argument, 'Fn::Split')
      return String(resolve(text)).split(String(separator))
    },
    'Fn::If': argument => {
      const [name, yes, no] = list(argument, 'Fn::If')
      return resolve(condition(name) ? yes : no)
    },
    'Fn::Equals': argument => {
      const [left, right] = list(resolve(argument), 'Fn::Equals')
      return String(left) === String(right)
    },
    'Fn::And': argument => list(resolve(argument), 'Fn::And').every(Boolean),
    'Fn::Or': argument => list(resolve(argument), 'Fn::Or').some(Boolean),
    'Fn::Not': argument => !list(resolve(argument), 'Fn::Not')[0],
  }

  function resolve(value: unknown): unknown {
    if (typeof value === 'string') return dynamic(value)
    if (Array.isArray(value)) return value.map(resolve).filter(item => item !== undefined)
    if (!isFields(value)) return value
    const [only, ...others] = Object.entries(value)
    if (only && others.length === 0) {
      const [name, argument] = only
      const intrinsic = Object.hasOwn(functions, name) ? functions[name] : undefined
      if (intrinsic) return intrinsic(argument)
      if (name.startsWith('Fn::')) {
        throw new Error(`The local run does not support ${name}. Add it to infra/local/template/resolver.ts.`)
      }
    }
    const resolved = Object.entries(value).map(([key, inner]) => [key, resolve(inner)] as const)
    return Object.fromEntries(resolved.filter(([, inner]) => inner !== undefined))
  }

  function ref(name: string): unknown {
    if (name === 'AWS::NoValue') return undefined
    const value = values.pseudo[name] ?? values.refs.get(name)?.ref
    if (value !== undefined) return value
    const parameter = values.parameters[name] ?? template.parameters[name]
    if (parameter !== undefined) return parameter
    if (template.findResource(name)?.type === 'AWS::SecretsManager::Secret') return name
    throw unknown(name, 'Ref')
  }

  function attributeOf(id: string, attribute: string): string {
    const value = values.refs.get(id)?.attributes[attribute]
    if (value === undefined) throw unknown(id, attribute)
    return value
  }

  function condition(name: unknown): boolean {
    const rule = template.conditions[String(name)]
    if (rule === undefined) throw new Error(`The template has no condition ${String(name)}.`)
    return Boolean(resolve(rule))
  }

  function substitute(text: string, names: Fields): string {
    return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`
      if (Object.hasOwn(names, name)) return String(resolve(names[name]))
      const [id = '', ...attribute] = name.split('.')
      return attribute.length > 0 ? attributeOf(id, attribute.join('.')) : String(ref(id))
    })
  }

  function dynamic(text: string): string {
    return text.replace(/\{\{resolve:([^:}]+):(.+?)\}\}/g, (whole, service: string, name: string) => {
      if (service !== 'secretsmanager') {
        throw new Error(`The local run has no ${service} to resolve ${whole}. Use a secret or a parameter.`)
      }
      const [id = '', key = ''] = name.split(/:SecretString(?::|$)/)
      const member = key.split(':')[0]
      const secret = values.secret(id)
      return member ? memberOf(secret, member, id) : secret
    })
  }

  function unknown(id: string, what: string): Error {
    const type = template.findResource(id)?.type
    const resource = type ? `${id} (${type})` : `${id}, which the template does not declare`
    return new Error(`The local run has no value for ${what} of ${resource}. Add one to its refs.`)
  }

  return resolve
}

function memberOf(secret: string, member: string, id: string): string {
  const fields: unknown = JSON.parse(secret)
  if (!isFields(fields) || fields[member] === undefined) {
    throw new Error(
      `The secret ${id} has no member ${member}. Remove the secret from secrets.json to generate it again.`,
    )
  }
  return String(fields[member])
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) {
    throw new Error(`${name} takes a list; the template has ${JSON.stringify(value)}.`)
  }
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
