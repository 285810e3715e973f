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
  link: unknown
}

export const pageData = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as PageData
export const { site } = pageData
