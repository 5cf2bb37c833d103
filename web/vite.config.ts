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
      // Few files, as twenty small ones take a browser longer: what every page needs, and what lists
      // and forms share, which the overview does without.
      output: {
        codeSplitting: {
          groups: [
            { name: neededBy("first", /src\/main\.tsx$/), debugName: "first", priority: 2 },
            {
              name: neededBy("parts", /src\/pages\/insight\/Overview\.tsx$/),
              debugName: "parts",
              minShareCount: 4,
              priority: 1,
            },
            { name: "shared", minShareCount: 4 },
          ],
        },
      },
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
    testTimeout: 30_000,
  },
});

type Graph = { getModuleInfo: (id: string) => { importers: string[] } | null };

/** Names what a file needs at once, itself or through others; what it imports late does not count. */
function neededBy(name: string, file: RegExp) {
  return (id: string, graph: Graph) => {
    const seen = new Set<string>();
    const isNeeded = (each: string): boolean => {
      if (file.test(each)) return true;
      if (seen.has(each)) return false;
      seen.add(each);
      return graph.getModuleInfo(each)?.importers.some(isNeeded) ?? false;
    };
    return isNeeded(id) ? name : null;
  };
}
