// The library brings no types; what the test of it uses.
declare module 'oidc-provider' {
  import type { Server } from 'node:http'
  export default class Provider {
    constructor(issuer: string, configuration: object)
    listen(port: number, host: string, ready: () => void): Server
  }
}
