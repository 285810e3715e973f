import type { Page } from 'playwright-core'
import type { Market, Person, TestService } from '#test'
import type { Hands } from '../hands.ts'

/** What the actions share: a service with a market whose buyer has money from a card. */
export interface Scene {
  service: TestService
  market: Market
}

/** Where the action is found, and by whom. */
interface Place {
  as: Pick<Person, 'email'>
  path: string
}

/** Something that a person does in the console and that moves money. */
export interface MoneyAction {
  /** The operation of the API that moves it. */
  operation: string
  title: string
  /** As the confirmation shows it. */
  amount: string
  /** Makes what the action needs. */
  prepare(scene: Scene): Promise<Place>
  /** Every step before the one that moves the money. */
  ask(hands: Hands, page: Page): Promise<void>
  /** The button that moves it. */
  confirm: string
  /** The confirmation is a page of its own, not a dialog. */
  isPage?: boolean
}

/** Sends a request that must succeed. */
export async function send<Body = { id: string }>(
  { service }: Scene,
  { token }: Pick<Person, 'token'>,
  path: string,
  body: object = {},
): Promise<Body> {
  const answer = await service.http<Body>('POST', path, { token, body })
  if (answer.status > 202) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
  return answer.body
}
