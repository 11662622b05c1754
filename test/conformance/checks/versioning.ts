// "Versioning".
import { succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { equal, hold } from '../values.ts'

export const VERSIONING: Section = {
  part: 'contract',
  title: 'Versioning',
  checks: [
    {
      name: 'the version of the API is v1',
      proves:
        'The version is in the URL path; the current version is `v1` (`api_version` in the health response is `v1`).',
      run: async suite => {
        equal(succeeds(await suite.reader('GET', '/health'), 200), 'data.api_version', 'v1')
      },
    },
    {
      name: 'v1 carries no `Deprecation` header before v2',
      proves:
        'When v2 ships, v1 keeps working for at least 6 months and responses carry a `Deprecation` header.',
      run: async suite => {
        const { headers } = succeeds(await suite.reader('GET', '/health'), 200)
        hold(headers.get('Deprecation') === null, 'v1 is deprecated: there is a newer version.')
      },
    },
  ],
  unprovable: [
    { sentence: 'A future v2 lives under `/api/v2/*`.', because: 'There is no v2 yet.' },
    {
      sentence: 'Within v1 the contract does not change incompatibly.',
      because: 'One run sees the service at one moment.',
    },
  ],
}
