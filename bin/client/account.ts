import { PermissionError, type Svc } from '#sdk'
import { CredentialError, EXIT, UsageError, type Given } from '../commands/command.ts'
import { ask, readSecret } from './ask.ts'
import { clientCommand } from './command.ts'
import { profileNameOf, profileOption, sessionOf, urlOf } from './connect.ts'
import { openClient } from './open.ts'
import { list, print } from './output.ts'
import { profileFile, readProfile, storeProfile, type Profile } from './profile.ts'

/** Where to sign in: at the service of the profile, unless another one is given. */
async function targetOf(given: Given): Promise<string> {
  const name = profileNameOf(given)
  const profile = await readProfile(name)
  // No password gets the key of an agent account again.
  if (profile?.userId && profile.apiKey)
    throw new UsageError(
      `the profile "${name}" stores the only key of the agent account ${profile.account ?? profile.userId}: give another name with --profile, or run "svc logout${profileOption(name)}" first`,
    )
  return urlOf(given, profile)
}

async function store(given: Given, profile: Profile, shown: object = {}): Promise<number> {
  const name = profileNameOf(given)
  await storeProfile(name, profile)
  const { url, account, userId } = profile
  print(given, { profile: name, url, account, userId, ...shown, file: profileFile() }, () =>
    list({ 'signed in': account ?? 'with a key', service: url, profile: name, 'stored in': profileFile() }),
  )
  return EXIT.ok
}

/** An AuthenticationError for a key that has ended. One without the scope to read is valid too. */
const requireValid = (svc: Svc): Promise<unknown> =>
  svc.request('GET /agents/my-agents', { query: { limit: 1 } }).catch((error: unknown) => {
    if (!(error instanceof PermissionError)) throw error
  })

export const login = clientCommand({
  name: 'login',
  summary: 'Signs in with email and password, or with a key, and stores the credential.',
  options: [
    '--email EMAIL  Sign in with this address and its password',
    '--password-stdin  Read the password from standard input',
    '--code CODE  Code of the second factor',
    '--key  Store a key (sk_, sa_) instead',
    '--key-stdin  Read the key from standard input',
  ],
  examples: [
    'svc login --email ada@example.com',
    'svc login --key --profile seller',
    'pass show svc | svc login --email ada@example.com --password-stdin',
  ],
  async run(_, given) {
    const { options } = given
    const url = await targetOf(given)
    if (options.has('--key') || options.has('--key-stdin')) {
      const apiKey = await readSecret(given, '--key-stdin')
      if (!/^(?:sk|sa)_/.test(apiKey)) throw new UsageError('a key begins with sk_ or sa_')
      if (apiKey.startsWith('sk_')) await requireValid(openClient({ baseUrl: url, apiKey }))
      return store(given, { url, apiKey })
    }
    const email = options.get('--email') ?? (await ask('Email: ', { instead: 'use --email' }))
    const svc = openClient({ baseUrl: url })
    const password = await readSecret(given, '--password-stdin')
    const result = await svc.request('POST /auth/login', { body: { email, password } })
    const signedIn =
      'accessToken' in result
        ? result
        : await svc.request('POST /auth/login/mfa', {
            body: {
              mfaToken: result.mfaToken,
              totpCode: options.get('--code') ?? (await ask('Code: ', { instead: 'use --code' })),
            },
          })
    return store(given, { url, userId: signedIn.user.id, account: email, session: sessionOf(signedIn) })
  },
})

export const register = clientCommand({
  name: 'register',
  summary: 'Creates the account of a person, or with --agent the one of an agent, and signs in.',
  options: [
    '--email EMAIL  Address of the person',
    '--name NAME  Name of the person',
    '--password-stdin  Read the password from standard input',
    '--agent USERNAME  An agent account: no password, the credential is its key',
  ],
  examples: [
    'svc register --email ada@example.com --name Ada',
    'svc register --agent echo_bot --profile seller',
  ],
  async run(_, given) {
    const { options } = given
    const url = await targetOf(given)
    const svc = openClient({ baseUrl: url })
    const username = options.get('--agent')
    if (username) {
      const { user, agentApiKey } = await svc.request('POST /auth/register-agent', { body: { username } })
      return store(given, { url, userId: user.id, account: username, apiKey: agentApiKey })
    }
    const email = options.get('--email') ?? (await ask('Email: ', { instead: 'use --email' }))
    const displayName = options.get('--name') ?? (await ask('Name: ', { instead: 'use --name' }))
    const password = await readSecret(given, '--password-stdin')
    const registered = await svc.request('POST /auth/register', { body: { email, displayName, password } })
    const { warnings } = registered
    return store(
      given,
      { url, userId: registered.user.id, account: email, session: sessionOf(registered) },
      { warnings },
    )
  },
})

export const logout = clientCommand({
  name: 'logout',
  summary: 'Ends the session and removes the stored credential. A key stays valid.',
  examples: ['svc logout', 'svc logout --profile seller'],
  async run(_, given) {
    const profileName = profileNameOf(given)
    const profile = await readProfile(profileName)
    if (!profile) throw new CredentialError(`there is no profile "${profileName}": nothing to sign out of`)
    const refreshToken = profile.session?.refreshToken
    // Without the credential: it would renew a session that may have ended. At its own service, whatever SVC_URL says.
    if (refreshToken)
      await openClient({ baseUrl: profile.url }).request('POST /auth/logout', { body: { refreshToken } })
    await storeProfile(profileName, undefined)
    print(given, { profile: profileName }, () => `Signed out of the profile "${profileName}".`)
    return EXIT.ok
  },
})
