/** The address of a mail server, made from the fields of a form. */
import { namesOf } from "@/lib/words";

export interface MailFields {
  host: string;
  port: string;
  /** The server encrypts when asked, or from the beginning. */
  encryption: string;
  user: string;
  password: string;
  from: string;
  to: string;
}

export function mailUrl({ host, port, encryption, user, password, from, to }: MailFields): string {
  const scheme = encryption === "tls" ? "smtps" : "smtp";
  const login = user && `${escaped(user)}${password && `:${escaped(password)}`}@`;
  const people = namesOf(to).map(inQuery).join(",");
  return `${scheme}://${login}${host}${port && `:${port}`}/?from=${inQuery(from)}&to=${people}`;
}

/** As a part of an address; `${NAME}` stays, as it is filled in where the message is sent. */
function escaped(text: string): string {
  return text
    .split(/(\$\{\w+\})/)
    .map((part, index) => (index % 2 ? part : encodeURIComponent(part)))
    .join("");
}

const inQuery = (text: string) => escaped(text.trim()).replaceAll("%40", "@");
