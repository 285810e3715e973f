import type { Services } from '#platform/kernel/services'

/** What pages say of the server that they come from. */
export interface Site {
  publicUrl: string
  /** Host and port, as people know the service. */
  host: string
  sandbox: boolean
  /** Host of the identity provider that people may sign in with. */
  provider: string | null
}

export const siteOf = ({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>): Site => ({
  publicUrl,
  host: new URL(publicUrl).host,
  sandbox: config.sandbox,
  provider: config.OIDC_ISSUER ? new URL(config.OIDC_ISSUER).host : null,
})
