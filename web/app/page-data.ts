/** What the server writes into the page: the site, and what a link of a mail leads to. */
export interface PageData {
  site: {
    name: string
    logoUrl: string | null
    publicUrl: string
    sandbox: boolean
    /** Host of the identity provider that people may sign in with. */
    provider: string | null
    currency: string
  }
  /** The state of the link that was opened; null on all other pages. */
  link: Link | null
}

/** `dead`: it has expired, or never was. */
export type Link =
  | { kind: 'setup'; state: 'good' | 'dead' }
  | ({ kind: 'reset' | 'verify' | 'login' } & MailLink)
  | ({ kind: 'claim' } & ClaimLink)

export type MailLink =
  | {
      state: 'good'
      email: string
      /** The address was never confirmed: the confirmation ends the credentials that the account was created with. */
      isFirstProof: boolean
      /** The address is not the account's yet. */
      isChange: boolean
    }
  | { state: 'used' | 'dead' }

export type ClaimLink =
  | {
      state: 'good' | 'claimed'
      agent: { name: string; slug: string; description: string | null; trustTier: string }
    }
  | { state: 'dead' }

export const pageData = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as PageData
export const { site } = pageData
