// The reference: one section for each call of openapi.json, with a form that sends it.
// Text goes into the page as text only; nothing is loaded from elsewhere.

const METHODS = ["get", "post", "put", "patch", "delete"];
const ABSENT = Symbol("absent");

function make(name, facts = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) {
    if (key === "class") element.className = value;
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

async function load(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${body.detail} ${body.remedy}`);
  return body;
}

class Schemas {
  constructor(description) {
    this.known = description.components?.schemas ?? {};
  }

  follow(schema) {
    let found = schema ?? {};
    while (found.$ref) found = this.known[found.$ref.split("/").pop()] ?? {};
    return found;
  }

  // What a value is, in a few words.
  words(schema) {
    const found = this.follow(schema);
    if (found.enum) return found.enum.map((each) => JSON.stringify(each)).join(" | ");
    if (found.const !== undefined) return JSON.stringify(found.const);
    const choices = found.oneOf ?? found.anyOf;
    if (choices) return choices.map((each) => this.words(each)).join(" or ");
    if (found.type === "array") return `list of ${this.words(found.items)}`;
    const kind = Array.isArray(found.type) ? found.type.join(" or ") : found.type ?? "anything";
    return found.format ? `${kind} (${found.format})` : kind;
  }

  // A value to begin with: what must be there, and nothing that may be left out.
  sample(schema, depth = 0) {
    const found = this.follow(schema);
    if (found.default !== undefined) return found.default;
    if (found.enum) return found.enum[0];
    const choices = found.oneOf ?? found.anyOf;
    if (choices) {
      const real = choices.find((each) => this.follow(each).type !== "null");
      return real ? this.sample(real, depth) : null;
    }
    if (found.type === "array") return depth < 3 ? [this.sample(found.items, depth + 1)] : [];
    if (found.type === "object" || found.properties) {
      const names = found.required ?? [];
      return Object.fromEntries(
        names.map((name) => [name, this.sample(found.properties?.[name], depth + 1)]),
      );
    }
    return { string: "", integer: 0, number: 0, boolean: false }[found.type] ?? null;
  }

  fields(schema) {
    const found = this.follow(schema);
    const choices = found.oneOf ?? found.anyOf;
    if (choices) return choices.flatMap((each) => this.fields(each));
    const needed = new Set(found.required ?? []);
    return Object.entries(found.properties ?? {}).map(([name, each]) => ({
      name,
      words: this.words(each),
      says: each.description ?? this.follow(each).description ?? "",
      needed: needed.has(name),
    }));
  }
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curlOf(request) {
  const parts = ["curl", "-sS"];
  if (request.method !== "GET") parts.push("-X", request.method);
  parts.push("-H", '"Authorization: Bearer $TOKEN"');
  for (const [name, value] of Object.entries(request.headers)) parts.push("-H", quoted(`${name}: ${value}`));
  if (request.body !== undefined) parts.push("-d", quoted(request.body));
  parts.push(quoted(location.origin + request.path));
  return parts.join(" ");
}

function table(headings, rows) {
  const head = make("tr", {}, ...headings.map((each) => make("th", {}, each)));
  const body = rows.map((row) => make("tr", {}, ...row.map((each) => make("td", {}, each))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

class Call {
  constructor(path, method, spec, schemas, session) {
    Object.assign(this, { path, method: method.toUpperCase(), spec, schemas, session });
    this.inputs = [];
    const content = spec.requestBody?.content ?? {};
    this.bodySchema = content["application/json"]?.schema;
    this.says = (spec.description ?? spec.summary ?? "").split("\n")[0];
    this.text = `${this.method} ${path} ${this.says} ${spec.description ?? ""}`.toLowerCase();
    this.element = this.draw();
  }

  get group() {
    const parts = this.path.split("/").filter(Boolean);
    return parts[0] === "api" ? parts[2] ?? "other" : parts[0] ?? "other";
  }

  draw() {
    const inside = make("div", { class: "inside" });
    const whole = make(
      "details",
      { id: `${this.method}${this.path}`.replace(/[^A-Za-z0-9]+/g, "-") },
      make(
        "summary",
        {},
        make("span", { class: "method" }, this.method),
        make("span", { class: "path" }, this.path),
        make("span", { class: "says" }, this.says),
      ),
      inside,
    );
    whole.addEventListener("toggle", () => {
      if (whole.open && !inside.hasChildNodes()) this.fill(inside);
    });
    return whole;
  }

  fill(inside) {
    if (this.spec.description) inside.append(make("p", {}, this.spec.description));
    const good = Object.entries(this.spec.responses ?? {}).find(([status]) => status < "300");
    if (good) inside.append(make("p", {}, good[1].description ?? ""));
    const asked = (this.spec.parameters ?? []).filter((each) => each.in !== "cookie");
    if (asked.length) inside.append(this.parameters(asked));
    if (this.bodySchema) inside.append(...this.body());
    const curl = make("pre", { "aria-label": "curl" });
    const answer = make("div", { "aria-live": "polite" });
    const send = make("button", { type: "button" }, "Send");
    const isStream = this.path.endsWith("/events");
    const show = () => { curl.textContent = curlOf(this.request()); };
    inside.addEventListener("input", show);
    send.addEventListener("click", () => this.send(answer));
    inside.append(curl);
    inside.append(isStream ? make("p", {}, "A stream that does not end; use curl -N.") : send, answer);
    inside.append(...this.answers());
    show();
  }

  parameters(asked) {
    const rows = asked.map((each) => {
      const input = make("input", {
        name: each.name,
        required: Boolean(each.required),
        "aria-label": each.name,
        placeholder: each.schema?.default === undefined ? "" : String(each.schema.default),
      });
      this.inputs.push({ each, input });
      const words = `${this.schemas.words(each.schema)}${each.required ? ", needed" : ""}`;
      return [each.name, make("span", {}, words), input];
    });
    return table([`in path and query`, "is", "value"], rows);
  }

  body() {
    const sample = JSON.stringify(this.schemas.sample(this.bodySchema) ?? {}, null, 2);
    this.area = make("textarea", { value: sample, "aria-label": "body", spellcheck: false });
    const fields = this.schemas.fields(this.bodySchema);
    const rows = fields.map((each) => [
      each.name,
      make("span", {}, each.words + (each.needed ? ", needed" : "")),
      make("span", {}, each.says),
    ]);
    return [rows.length ? table(["body", "is", ""], rows) : null, this.area].filter(Boolean);
  }

  answers() {
    const rows = Object.entries(this.spec.responses ?? {}).map(([status, each]) => [
      status,
      make("span", {}, each.description ?? ""),
    ]);
    return rows.length ? [table(["status", "means"], rows)] : [];
  }

  request() {
    let path = this.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const { each, input } of this.inputs) {
      const value = input.value === "" ? ABSENT : input.value;
      if (each.in === "path") {
        path = path.replace(`{${each.name}}`, value === ABSENT ? `{${each.name}}` : encodeURIComponent(value));
      } else if (value !== ABSENT && each.in === "query") query.append(each.name, value);
      else if (value !== ABSENT && each.in === "header") headers[each.name] = value;
    }
    const asked = query.toString();
    const request = { method: this.method, path: asked ? `${path}?${asked}` : path, headers };
    if (this.area && this.area.value.trim()) {
      request.body = this.area.value;
      headers["Content-Type"] = "application/json";
    }
    return request;
  }

  async send(place) {
    const request = this.request();
    const headers = { ...request.headers };
    if (request.method !== "GET" && this.session.csrfToken) headers["X-CSRF-Token"] = this.session.csrfToken;
    place.replaceChildren(make("p", {}, "Sending..."));
    const began = performance.now();
    try {
      const answer = await fetch(request.path, { method: request.method, headers, body: request.body });
      const text = await answer.text();
      const took = Math.round(performance.now() - began);
      const kind = answer.ok ? "good" : "bad";
      place.replaceChildren(
        make("p", { class: kind }, `${answer.status} ${answer.statusText}, ${took} ms`),
        make("pre", {}, pretty(text)),
      );
    } catch (error) {
      place.replaceChildren(make("p", { class: "bad" }, `The server cannot be reached: ${error.message}`));
    }
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function draw(calls) {
  const groups = Map.groupBy ? Map.groupBy(calls, (each) => each.group) : grouped(calls);
  const names = [...groups.keys()].sort();
  document.getElementById("groups").replaceChildren(
    ...names.map((name) => make("a", { href: `#group-${name}` }, name)),
  );
  document.getElementById("calls").replaceChildren(
    ...names.map((name) =>
      make(
        "section",
        { id: `group-${name}` },
        make("h2", {}, name),
        ...groups.get(name).map((each) => each.element),
      ),
    ),
  );
}

function grouped(calls) {
  const groups = new Map();
  for (const call of calls) groups.set(call.group, [...(groups.get(call.group) ?? []), call]);
  return groups;
}

function filter(calls, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const call of calls) call.element.hidden = !words.every((word) => call.text.includes(word));
  for (const section of document.querySelectorAll("main section")) {
    section.hidden = !section.querySelector("details:not([hidden])");
  }
}

async function start() {
  const who = document.getElementById("who");
  try {
    const [description, session] = await Promise.all([load("/api/v1/openapi.json"), load("/api/v1/session")]);
    const schemas = new Schemas(description);
    const calls = Object.entries(description.paths).flatMap(([path, each]) =>
      METHODS.filter((method) => each[method]).map(
        (method) => new Call(path, method, each[method], schemas, session),
      ),
    );
    draw(calls);
    const roles = session.roles.join(", ");
    who.textContent = `${description.info.version}, signed in as ${session.who} (${roles}) in ${session.namespace}`;
    const find = document.getElementById("find");
    find.addEventListener("input", () => filter(calls, find.value));
    const wanted = location.hash && document.getElementById(location.hash.slice(1));
    if (wanted) {
      wanted.open = true;
      wanted.scrollIntoView();
    }
  } catch (error) {
    who.className = "bad";
    who.textContent = error.message;
  }
}

start();
