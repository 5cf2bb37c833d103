import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.ROTA_SERVER ?? "http://127.0.0.1:8470";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: "../src/rota/web/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows files of the server, nothing inline
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      // What many pages share comes as one file: twenty small ones take a browser longer.
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 4 }] } },
    },
  },
  server: {
    proxy: {
      "/api": server,
      "/docs": server,
      "/login": server,
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./src/test-setup.ts"],
  },
});
