import type { Locator } from 'playwright-core'
import type { ConsoleVisitor } from './console.ts'

/** How a person works: the same story is played by mouse and by keyboard alone. */
export const WAYS = ['mouse', 'keyboard'] as const
type Way = (typeof WAYS)[number]

export interface Hands {
  /** Presses a button. */
  press(name: string): Promise<void>
  /** Types into the field whose label contains this text. */
  type(label: string, text: string): Promise<void>
  /** Chooses one of a group of options. */
  choose(name: string): Promise<void>
}

/** A person's hands on the open page, or on its dialog where one is open. */
export function handsOf({ page, keyboard }: ConsoleVisitor, way: Way): Hands {
  const dialog = page.getByRole('dialog')
  const place = async () => ((await dialog.count()) ? dialog : page)
  const button = async (name: string): Promise<Locator> =>
    (await place()).getByRole('button', { name, exact: true, disabled: false }).filter({ visible: true })
  const field = async (label: string): Promise<Locator> =>
    (await place()).getByLabel(label).filter({ visible: true })
  if (way === 'mouse')
    return {
      press: async name => (await button(name)).click(),
      type: async (label, text) => (await field(label)).fill(text),
      choose: name => page.getByText(name, { exact: true }).click(),
    }
  return {
    press: async name => {
      await keyboard.reach(await button(name))
      await page.keyboard.press('Enter')
    },
    type: async (label, text) => {
      await keyboard.reach(await field(label))
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    choose: name => keyboard.choose(name),
  }
}
