import { credentials } from '#identity'
import { COMMON, apiError } from '#platform/kernel/errors'
import { defineModule } from '#platform/kernel/module'

export default defineModule({
  name: 'gateway',
  create: () => ({
    provides: [
      credentials.routingKeyProof.with(() => {
        throw apiError(COMMON.UNAUTHORIZED, { hint: 'There are no routing keys yet' })
      }),
    ],
  }),
})
