/**
 * Some operations want a proof of the person that is at most five minutes old. The dialog that asks for it registers
 * here; the client waits for it and repeats the request.
 */
type Ask = () => Promise<boolean>
let ask: Ask = async () => false

export const onStepUp = (listener: Ask): void => {
  ask = listener
}

let open: Promise<boolean> | undefined

/**
 * True once the person has proved who they are; false if they closed the dialog. Operations that ask meanwhile wait for the
 * same dialog: one proof is enough for all of them.
 */
export const requestStepUp = (): Promise<boolean> =>
  (open ??= ask().finally(() => {
    open = undefined
  }))
