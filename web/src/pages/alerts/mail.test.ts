import { expect, test } from "vitest";
import { mailUrl } from "./mail";

const SERVER = { host: "mail.example.org", port: "", encryption: "starttls" } as const;
const PEOPLE = { from: "rota@example.org", to: "ann@example.org, bob@example.org" };

test("a mail server without a password is its host and the people", () => {
  expect(mailUrl({ ...SERVER, ...PEOPLE, user: "", password: "" })).toBe(
    "smtp://mail.example.org/?from=rota@example.org&to=ann@example.org,bob@example.org",
  );
});

test("signs that mean something in an address are escaped, variables are not", () => {
  const login = { user: "me@here", password: `a/b\${KEY}` };

  expect(mailUrl({ ...SERVER, ...PEOPLE, ...login, port: "465", encryption: "tls" })).toBe(
    `smtps://me%40here:a%2Fb\${KEY}@mail.example.org:465/?from=rota@example.org&to=ann@example.org,bob@example.org`,
  );
});
