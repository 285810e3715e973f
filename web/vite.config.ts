import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2022',
    // Every file is named by its content, so that browsers keep it for good.
    assetsDir: 'assets',
    // The policy of the pages forbids scripts and images inside of the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Which files a page loads, for the test of the first load.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs is one file: many small ones compress to 12% more.
            { name: 'base', tags: ['$initial'] },
          ],
        },
      },
    },
  },
})
