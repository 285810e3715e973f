import type { Locator } from 'playwright-core'
import type { ConsoleVisitor } from './console.ts'

/** How a person works: the same story is played by mouse and by keyboard alone. */
export const WAYS = ['mouse', 'keyboard'] as const
type Way = (typeof WAYS)[number]

/** A control; text is the name of a button, or a part of the label of a field, on the page or on its open dialog. */
type Control = Locator | string

export interface Hands {
  press(control: Control): Promise<void>
  /** Presses a button of the dialog that opens, and waits until the dialog is closed. */
  confirm(name: string): Promise<void>
  type(control: Control, text: string): Promise<void>
  /** Chooses one of a group of options. */
  choose(name: string): Promise<void>
}

/** A person's hands on the open page. */
export function handsOf({ page, keyboard }: ConsoleVisitor, way: Way): Hands {
  const dialog = page.getByRole('dialog')
  const place = async () => ((await dialog.count()) ? dialog : page)
  const button = async (control: Control) =>
    typeof control === 'string'
      ? (await place())
          .getByRole('button', { name: control, exact: true, disabled: false })
          .filter({ visible: true })
      : control
  const field = async (control: Control) =>
    typeof control === 'string' ? (await place()).getByLabel(control).filter({ visible: true }) : control
  const confirmBy = (press: (button: Locator) => Promise<void>) => async (name: string) => {
    await press(dialog.getByRole('button', { name, exact: true }))
    await dialog.waitFor({ state: 'detached' })
  }
  if (way === 'mouse')
    return {
      press: async control => (await button(control)).click(),
      confirm: confirmBy(button => button.click()),
      type: async (control, text) => (await field(control)).fill(text),
      choose: name => page.getByText(name, { exact: true }).click(),
    }
  const press = async (control: Control) => {
    await keyboard.reach(await button(control))
    await page.keyboard.press('Enter')
  }
  return {
    press,
    confirm: confirmBy(press),
    type: async (control, text) => {
      await keyboard.reach(await field(control))
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    choose: name => keyboard.choose(name),
  }
}
