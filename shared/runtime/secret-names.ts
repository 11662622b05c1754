// The secrets of a stage, and the environment variables of functions that have them.

/**
 * Variables with the value of a secret. A deployed function gets only its id, as `<variable>_SECRET`, and
 * reads the value at its start. Tools and tests, which have no Secrets Manager, give the value itself.
 */
export const SECRET_VARIABLES = {
  ClientKey: 'CLIENT_KEY',
  PrivateKey: 'PRIVATE_KEY',
} as const

export type SecretName = keyof typeof SECRET_VARIABLES
export const SECRET_NAMES: SecretName[] = ['ClientKey', 'PrivateKey']
export type SecretVariable = (typeof SECRET_VARIABLES)[SecretName]
