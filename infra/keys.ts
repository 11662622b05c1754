// The secrets, made by the first deploy: one for addresses and cursors, one for links and webhook secrets.
import { RemovalPolicy } from 'aws-cdk-lib'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import type { SecretName } from '../shared/runtime/parameters.ts'
import { acknowledge } from './acknowledge.ts'

export type Keys = Record<SecretName, Secret>

/** Stored data is unreadable without its keys, so the keys are kept as long as the table. */
export function createKeys(scope: Construct, isDisposable: boolean): Keys {
  const createKey = (name: SecretName, description: string): Secret => {
    const secret = new Secret(scope, name, {
      description,
      // The first key. A change here would replace it; `operator rotate-key` adds the next ones.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    acknowledge(
      secret,
      'SMG4',
      'The operator rotates the key, since what is stored under it is sealed again.',
    )
    return secret
  }
  return {
    ClientKey: createKey('ClientKey', 'Keys the HMAC of client addresses, and seals cursors.'),
    PrivateKey: createKey('PrivateKey', 'Keys the tokens of links in mails, and seals webhook secrets.'),
  }
}
