import { credentials } from '#identity'
import { COMMON, apiError } from '#platform/kernel/errors'
import { defineModule } from '#platform/kernel/module'
import { createCatalog } from './catalog/index.ts'

export default defineModule({
  name: 'gateway',
  create: services => {
    const catalog = createCatalog(services)
    return {
      provides: [
        credentials.routingKeyProof.with(() => {
          throw apiError(COMMON.UNAUTHORIZED, { hint: 'There are no routing keys yet' })
        }),
      ],
      start: () => catalog.start(),
      stop: () => catalog.stop(),
    }
  },
})
