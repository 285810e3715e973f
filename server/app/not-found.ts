import { envelope } from '#platform/fault'
import type { App } from '#platform/http/route'

/** A path that exists under another method is a 405 that names it; any other is a 404 that says where to look. */
export function installNotFound(app: App): void {
  const known: { methods: string[]; matches: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    known.push({ methods: [method].flat(), matches: new RegExp(`^${url.replaceAll(/[.*]/g, '\\$&').replaceAll(/:\w+/g, '[^/]+')}/?$`) })
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const methods = [...new Set(known.filter(({ matches }) => matches.test(path)).flatMap(each => each.methods))].sort()
    if (methods.length) void reply.code(405).header('allow', methods.join(', ')).send(envelope(405, `${request.method} is not for ${path}: it takes ${methods.join(', ')}`))
    else void reply.code(404).send(envelope(404, `No such route: ${request.method} ${path}. The API is described at /openapi.json and /docs`))
  })
}
