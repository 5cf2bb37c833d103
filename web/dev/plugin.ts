/** A pretended server for looking at pages; part of no build. `ROTA_FIXTURES=empty` has no data. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Connect, Plugin } from "vite";
import { answer, follow } from "./fixtures.ts";

// What the real server sends, so that violations are seen here already.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function fixturesPlugin(): Plugin {
  const handle =
    (isBuilt: boolean) =>
    (request: IncomingMessage, response: ServerResponse, next: Connect.NextFunction) => {
      const url = new URL(request.url ?? "/", "http://localhost");
      if (isBuilt) response.setHeader("Content-Security-Policy", POLICY);
      if (url.pathname === "/login" && request.method === "POST") {
        response.statusCode = 303;
        response.setHeader("Location", "/");
        response.end();
      } else if (url.pathname === "/api/v1/events") {
        response.setHeader("Content-Type", "text/event-stream");
        response.flushHeaders();
        const stop = follow((text) => response.write(text), url.searchParams.get("topics") ?? "");
        request.on("close", stop);
      } else if (url.pathname.startsWith("/api/v1/")) {
        const [status, body] = answer(
          url.pathname.slice("/api/v1".length),
          url.searchParams,
          request.method ?? "GET",
        );
        response.statusCode = status;
        response.setHeader(
          "Content-Type",
          typeof body === "string" ? "text/plain" : "application/json",
        );
        response.end(typeof body === "string" ? body : JSON.stringify(body));
      } else {
        next();
      }
    };
  return {
    name: "rota-fixtures",
    configureServer: (server) => void server.middlewares.use(handle(false)),
    configurePreviewServer: (server) => void server.middlewares.use(handle(true)),
  };
}
