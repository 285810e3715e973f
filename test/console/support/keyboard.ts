import type { Locator, Page } from 'playwright-core'

/** More controls than any page has before the one that is wanted. */
const MOST_TABS = 150

/** Runs in the page; the tests are compiled without the types of a browser. */
const hasFocus = (element: unknown): boolean => {
  const { ownerDocument } = element as { ownerDocument: { activeElement: unknown } }
  return element === ownerDocument.activeElement
}

/** Reaches controls with Tab, as somebody does who has no pointer. */
export class Keyboard {
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  /** Presses Tab until the control has the focus. */
  async reach(control: Locator): Promise<void> {
    // Some controls are drawn by their label: the input itself is not visible.
    await control.waitFor({ state: 'attached' })
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if (await control.evaluate(hasFocus)) return
      await this.#page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not reach ${String(control)}`)
  }

  /** Presses a button, or follows a link. */
  async press(name: string, role: 'button' | 'link' | 'tab' | 'menuitem' = 'button'): Promise<void> {
    await this.reach(
      this.#page.getByRole(role, { name, exact: true, disabled: false }).filter({ visible: true }).first(),
    )
    await this.#page.keyboard.press('Enter')
  }

  /** Types into the field of this label. */
  async type(label: string, text: string): Promise<void> {
    await this.reach(this.#page.getByLabel(label, { exact: true }).filter({ visible: true }).first())
    await this.#page.keyboard.press('ControlOrMeta+a')
    await this.#page.keyboard.type(text)
  }

  /** Chooses an option with the arrow keys, as in a group of radio buttons. */
  async choose(name: string): Promise<void> {
    const option = this.#page.getByRole('radio', { name, exact: true })
    const group = this.#page.getByRole('radiogroup').filter({ has: option })
    await this.reach(group.getByRole('radio', { checked: true }))
    const options = await group.getByRole('radio').count()
    for (let presses = 0; presses < options && !(await option.isChecked()); presses++)
      await this.#page.keyboard.press('ArrowRight')
  }
}
