import type { Person, TestService } from '#test'

/** A page of the console with what it needs to show real data. */
export interface ConsolePage {
  /** File name of its screenshots: `deal`, `wallet-empty`. */
  name: string
  path: string
  /** Who is signed in; nobody without it. */
  as?: Pick<Person, 'email'>
  /** The page says that there is nothing, with status 404, which the browser reports. */
  isNotFound?: boolean
}

/** Makes the data of one section through the API and returns its pages. */
export type PagesOf = (service: TestService) => Promise<ConsolePage[]>
