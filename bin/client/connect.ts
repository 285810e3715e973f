import { constants } from 'node:os'
import process from 'node:process'
import type { Svc } from '#sdk'
import { isAddress, UsageError, type Given } from '../commands/command.ts'
import { openClient } from './open.ts'
import { readProfile, withLock, writeProfile, type Profile } from './profile.ts'

const DEFAULT_URL = 'http://127.0.0.1:3000'
/** An access token that ends sooner is renewed before it is used. */
const MARGIN_MS = 30_000

export interface Connection {
  svc: Svc
  profileName: string
  profile: Profile | undefined
}

const DEFAULT_PROFILE = 'default'

export const profileNameOf = ({ options }: Given): string =>
  options.get('--profile') ?? (process.env.SVC_PROFILE || DEFAULT_PROFILE)

/** What a command needs to use the profile. */
export const profileOption = (name: string): string =>
  name === (process.env.SVC_PROFILE || DEFAULT_PROFILE) ? '' : ` --profile ${name}`

/** What to do about a credential that the service does not accept. */
export const signInAdvice = (given: Given): string =>
  process.env.SVC_API_KEY
    ? 'The key is that of SVC_API_KEY: set a valid one, or unset it to use a stored credential'
    : `Sign in with: svc login${profileOption(profileNameOf(given))}`

/** The address of the service; UsageError for one that no request can go to. */
export function urlOf({ options }: Given, profile?: Profile): string {
  const url = options.get('--url') ?? (process.env.SVC_URL || profile?.url) ?? DEFAULT_URL
  if (!isAddress(url))
    throw new UsageError(`"${url}" is no address: set --url or SVC_URL to one such as ${DEFAULT_URL}`)
  return url
}

/** A client with the credential of SVC_API_KEY, or of the profile. */
export async function connect(given: Given): Promise<Connection> {
  const profileName = profileNameOf(given)
  const profile = await readProfile(profileName)
  const baseUrl = urlOf(given, profile)
  const { SVC_API_KEY } = process.env
  if (SVC_API_KEY)
    return { svc: openClient({ baseUrl, apiKey: SVC_API_KEY }), profileName, profile: undefined }
  // A credential is for the service that gave it: it never goes to another address.
  const isOwn = profile && new URL(profile.url).origin === new URL(baseUrl).origin
  const apiKey = isOwn ? (profile.apiKey ?? (() => accessTokenOf(profileName))) : undefined
  return { svc: openClient({ baseUrl, apiKey }), profileName, profile: isOwn ? profile : undefined }
}

/** The access token of a profile, renewed in time. */
async function accessTokenOf(name: string): Promise<string> {
  const session = (await readProfile(name))?.session
  if (!session) return ''
  if (session.expiresAt - Date.now() > MARGIN_MS) return session.accessToken
  return withLock(async () => {
    // Another process may have renewed it meanwhile.
    const profile = await readProfile(name)
    if (!profile?.session) return ''
    if (profile.session.expiresAt - Date.now() > MARGIN_MS) return profile.session.accessToken
    const { refreshToken } = profile.session
    const next = await openClient({ baseUrl: profile.url }).request('POST /auth/refresh', {
      body: { refreshToken },
    })
    await writeProfile(name, { ...profile, session: sessionOf(next) })
    return next.accessToken
  })
}

export const sessionOf = ({
  accessToken,
  refreshToken,
  expiresIn,
}: {
  accessToken: string
  refreshToken: string
  expiresIn: number
}): Profile['session'] => ({ accessToken, refreshToken, expiresAt: Date.now() + expiresIn * 1000 })

/** A signal ended the command: the exit status is that of a process which it ended. */
export class Interrupted extends Error {
  readonly status: number
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted')
    this.status = 128 + constants.signals[signal]
  }
}

/** Aborted by Ctrl-C, so that a command can end in order. */
export function interrupted(): AbortSignal {
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort(new Interrupted('SIGINT')))
  process.once('SIGTERM', () => abort.abort(new Interrupted('SIGTERM')))
  return abort.signal
}
