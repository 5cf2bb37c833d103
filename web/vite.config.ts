import type { IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { PluginOption } from "vite";
import { defineConfig } from "vitest/config";

const server = process.env.ROTA_SERVER ?? "http://127.0.0.1:8470";

/** Invented data for looking at pages without a server: `ROTA_FIXTURES=1 npm run dev`. */
async function fixtures(): Promise<PluginOption[]> {
  if (!process.env.ROTA_FIXTURES) return [];
  const { fixturesPlugin } = await import("./dev/plugin.ts");
  return [fixturesPlugin()];
}

export default defineConfig(async () => ({
  plugins: [react(), tailwindcss(), await fixtures()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: "../src/rota/web/dist",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy allows files of the server, nothing inline
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
  },
  server: {
    proxy: {
      "/api": server,
      "/docs": server,
      "/login": {
        target: server,
        bypass: (request: IncomingMessage) => (request.method === "GET" ? request.url : undefined),
      },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["./src/test-setup.ts"],
  },
}));
