"use strict";
// Whatever comes from tools and models is inserted as text, never as HTML; the charts are ours, with escaped texts.
const byId = (id) => document.getElementById(id);
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u2800\u3164\uffa0]/gu;
const visible = (text) => String(text).replace(HIDDEN, (one) =>
  "\n\t".includes(one) ? one : `\\u${one.codePointAt(0).toString(16).padStart(4, "0")}`);
const SETTLE = 600; // what was typed or clicked before a question could be read decides nothing

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child != null).map((child) => (child instanceof Node ? child : visible(child))));
  return made;
}
const button = (text, onclick, more = {}) => make("button", { type: "button", onclick, ...more }, text);

// ------------------------------------------------------------------------------------------------------------ server

const arrived = location.hash.slice(1);
if (/^[\w-]{32}$/.test(arrived)) {
  sessionStorage.setItem("token", arrived);
  history.replaceState(null, "", "#/");
}
const fetched = (path, body, signal) => fetch(path, {
  method: body === undefined ? "GET" : "POST", body, signal,
  headers: { Authorization: `Bearer ${sessionStorage.getItem("token")}` },
});
async function read(path) {
  const answer = await fetched(path);
  if (answer.status === 401) throw new Error("Open the address that toolkit has printed: this one lacks its token.");
  if (!answer.ok) throw new Error((await answer.text()) || `The server answered ${answer.status}.`);
  return answer.json();
}

// -------------------------------------------------------------------------------------------------------------- form

function resolved(schema, root, depth = 0) {
  if (schema === true || schema == null) return {};
  if (!schema.$ref || depth > 20) return schema;
  const found = schema.$ref.slice(2).split("/").reduce(
    (part, name) => part?.[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")], root);
  const { $ref, ...rest } = schema;
  return { ...resolved(found, root, depth + 1), ...rest };
}

// Each maker returns a node and a function that reads it as JSON text; undefined leaves the argument out.
function fieldFor(given, root, more, depth = 0) {
  const schema = resolved(given, root);
  const choices = (schema.anyOf || schema.oneOf || []).map((one) => resolved(one, root));
  const others = choices.filter((one) => one.type !== "null");
  if (others.length === 1) return fieldFor({ ...others[0], default: schema.default }, root, more, depth);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  if ("const" in schema) return choiceField([schema.const], schema, more);
  if (schema.enum) return choiceField(schema.enum, schema, more);
  if (others.length > 1) return depth > 4 ? jsonField(schema, more) : unionField(others, root, more, depth);
  if (type === "boolean") return choiceField([true, false], schema, more);
  if (type === "integer" || type === "number") return textField(schema, more, (text) => (isNumber(text) ? text : JSON.stringify(text)));
  if (type === "string") return textField(schema, more, JSON.stringify);
  if (type === "array" && !schema.prefixItems && depth < 5) return listField(schema, root, more, depth);
  if (type === "object" && schema.properties && depth < 5) return objectField(schema, root, more, depth);
  return jsonField(schema, more);
}
const isNumber = (text) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text);
const hintOf = (schema) => ("default" in schema && schema.default != null ? `default ${JSON.stringify(schema.default)}` : "");
const KINDS = { date: "date", email: "email", uri: "url", password: "password", time: "time" };

function textField(schema, more, write) {
  const isText = write === JSON.stringify;
  const kind = schema.writeOnly ? "password" : isText ? KINDS[schema.format] : undefined;
  const attributes = { ...more.attributes, placeholder: visible(hintOf(schema)), spellcheck: "false", autocomplete: "off" };
  const node = isText && !kind ? make("textarea", { rows: 1, ...attributes })
    : make("input", { type: kind || "text", inputmode: isText ? null : "decimal", ...attributes });
  return { node, read: () => (node.value === "" && !(more.required && isText) ? undefined : write(node.value)) };
}
function choiceField(values, schema, more) {
  const node = make("select", more.attributes, more.required && values.length === 1 ? null
    : make("option", { value: "" }, hintOf(schema) || (more.required ? "choose" : "—")),
    ...values.map((value, at) => make("option", { value: at }, typeof value === "string" ? value : JSON.stringify(value))));
  return { node, read: () => (node.value === "" ? undefined : JSON.stringify(values[Number(node.value)])) };
}
function jsonField(schema, more) {
  const node = make("textarea", { ...more.attributes, rows: 2, class: "code", placeholder: visible(hintOf(schema) || "JSON"), spellcheck: "false" });
  return { node, read: () => (node.value.trim() === "" ? undefined : asJson(node.value)) };
}
function asJson(text) {
  try { JSON.parse(text); return text; } catch { return JSON.stringify(text); }
}
function unionField(choices, root, more, depth) {
  const made = new Map();
  const place = make("div");
  const select = make("select", { ...more.attributes, onchange: () => draw() },
    ...choices.map((one, at) => make("option", { value: at }, one.title || one.type || `form ${at + 1}`)));
  const current = () => {
    if (!made.has(select.value)) made.set(select.value, fieldFor(choices[Number(select.value)], root, { required: more.required, attributes: { "aria-label": "value" } }, depth + 1));
    return made.get(select.value);
  };
  const draw = () => place.replaceChildren(current().node);
  draw();
  return { node: make("div", { class: "stack" }, select, place), read: () => current().read() };
}
function listField(schema, root, more, depth) {
  const fields = [];
  const rows = make("div", { class: "stack" });
  function add() {
    const field = fieldFor(schema.items, root, { required: true, attributes: { "aria-label": `item ${fields.length + 1}` } }, depth + 1);
    const row = make("div", { class: "row" }, field.node, button("×", () => { fields.splice(fields.indexOf(field), 1); row.remove(); }, { "aria-label": "remove item" }));
    fields.push(field);
    rows.append(row);
    row.querySelector("input, textarea, select")?.focus();
  }
  const node = make("div", { class: "stack", id: more.attributes.id, role: "group" }, rows, button("add item", add, { class: "small" }));
  return { node, read: () => (fields.length || more.required ? `[${fields.map((one) => one.read() ?? "null").join(",")}]` : undefined) };
}
let numbered = 0;
function objectField(schema, root, more, depth) {
  const fields = [];
  const node = make("div", { class: depth ? "inner" : "fields", role: "group", id: more.attributes?.id });
  for (const [name, given] of Object.entries(schema.properties || {})) {
    const part = resolved(given, root), id = `field-${++numbered}`, required = (schema.required || []).includes(name);
    const field = fieldFor(given, root, { required, attributes: { id, "aria-describedby": `${id}-fault` } }, depth + 1);
    fields.push([name, field]);
    node.append(make("div", { class: "field", "data-name": name },
      make("label", { for: id }, name, required ? make("span", { class: "need", title: "required" }, " *") : null),
      part.description ? make("p", { class: "quiet" }, part.description) : null, field.node,
      make("p", { class: "fault", id: `${id}-fault` })));
  }
  return {
    node,
    read: () => {
      const members = fields.map(([name, field]) => [name, field.read()]).filter(([, text]) => text !== undefined);
      if (!members.length && depth && !more.required) return undefined;
      return `{${members.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(", ")}}`;
    },
  };
}

// -------------------------------------------------------------------------------------------------------------- tools

let tools = [], findings = null;
const opened = new Map(); // by name: what was typed and what came of it stays while other tools are looked at

function shownList() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter((tool) => words.every((word) => `${tool.name} ${tool.description} ${tool.file}`.toLowerCase().includes(word)));
  byId("list").replaceChildren(...found.map((tool) => make("li", {}, make("a", { href: `#/${encodeURIComponent(tool.name)}`,
    "aria-current": current()?.name === tool.name ? "page" : null }, make("span", { class: "name" }, tool.name), badgeOf(tool)))));
  const spoken = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const all = findings === null ? "checking…" : findings.error || spoken(findings.length, "finding");
  byId("counts").replaceChildren(visible(`${spoken(tools.length, "tool")} · ${all}`));
}
function badgeOf(tool) {
  const own = findingsOf(tool);
  if (own.length) return make("span", { class: `badge ${own.some((one) => one.severity === "error") ? "error" : "warning"}`, title: `${own.length} findings` }, own.length);
  return tool.marks.includes("destructive") ? make("span", { class: "dot", title: "destructive" }) : null;
}
function findingsOf(tool) {
  return (Array.isArray(findings) ? findings : []).filter((one) => ownerOf(one) === tool);
}
function ownerOf(finding) {
  const here = tools.filter((tool) => tool.file === finding.file);
  const named = here.find((tool) => finding.message.includes(`'${tool.name}'`));
  if (named || here.length < 2) return named || here[0];
  const before = here.filter((tool) => tool.line != null && tool.line <= (finding.line ?? 0) + 1);
  return before.sort((one, other) => other.line - one.line)[0];
}
const drawFinding = (one) => make("li", { class: one.severity }, make("code", {}, one.code), " ", one.message,
  one.file ? make("span", { class: "quiet" }, ` ${one.file}${one.line ? `:${one.line}` : ""}`) : null,
  one.hint ? make("p", { class: "quiet" }, one.hint) : null);

const current = () => tools.find((tool) => `#/${encodeURIComponent(tool.name)}` === location.hash) || tools[0];

function show(focuses) {
  const tool = current();
  shownList();
  if (!tool) return;
  if (!opened.has(tool.name)) opened.set(tool.name, drawTool(tool));
  byId("tool").replaceChildren(opened.get(tool.name).node);
  document.title = `${visible(tool.name)} · toolkit`;
  opened.get(tool.name).drawFindings();
  if (matchMedia("(max-width: 699px)").matches && focuses) byId("menu").open = false;
  if (focuses) { byId("tool").focus({ preventScroll: true }); scrollTo(0, 0); }
}

function drawTool(tool) {
  const place = tool.file ? `${tool.file}${tool.line ? `:${tool.line}` : ""}` : "";
  const marks = tool.marks.map((mark) => make("span", { class: `mark ${mark === "destructive" ? "danger" : ""}` }, mark));
  const list = make("ul", { class: "findings" }), definition = drawDefinition(tool);
  const about = make("section", { class: "about" },
    make("h2", {}, tool.name), make("p", { class: "facts" }, make("span", { class: "quiet" }, tool.kind), ...marks, make("code", { class: "quiet" }, place)),
    make("p", { class: "description" }, tool.description || "No description."), list);
  const chart = tool.chart ? drawChart(tool) : null;
  const calling = drawCall(tool, chart);
  if (chart) about.append(chart.node);
  fetched(`sent?tool=${encodeURIComponent(tool.name)}`).then((answer) => (answer.ok ? answer.json() : null)).then((more) => {
    if (!more) return;
    definition.offer(more.sent);
    if (chart && more.run) chart.recorded(more.run);
  }).catch(() => {});
  return { node: make("div", { class: "columns" }, about, calling, definition.node), drawFindings: () => list.replaceChildren(...findingsOf(tool).map(drawFinding)) };
}

function drawDefinition(tool) {
  const text = make("pre", { tabindex: 0 }, tool.definition), notes = make("ul", { class: "findings" });
  const select = make("select", { "aria-label": "As it is sent to" }, make("option", { value: "" }, "as written"));
  const node = make("section", { class: "definition" }, make("div", { class: "bar" }, make("h3", {}, "Definition"), select), notes, text);
  return { node, offer: (sent) => {
    select.append(...sent.map((one, at) => make("option", { value: at }, one.notes.length ? `${one.name} (${one.notes.length})` : one.name)));
    select.addEventListener("change", () => {
      const one = sent[Number(select.value)];
      const isPlain = select.value === "";
      text.replaceChildren(visible(isPlain ? tool.definition : one.definition));
      notes.replaceChildren(...(isPlain ? [] : one.notes).map((note) => make("li", { class: note.startsWith("error") ? "error" : "info" }, note)));
    });
  } };
}

function drawChart(tool) {
  const svg = document.importNode(new DOMParser().parseFromString(tool.chart, "image/svg+xml").documentElement, true);
  const said = make("p", { class: "quiet", "aria-live": "polite" }, "not run yet");
  const shapes = new Map([...svg.querySelectorAll("[data-path]")].map((shape) => [shape.dataset.path, shape]));
  function mark(path, status) {
    const shape = shapes.get(path.replace(/\[\d+\]/g, ""));
    if (shape) shape.dataset.status = status;
  }
  return {
    node: make("section", {}, make("div", { class: "bar" }, make("h3", {}, "Steps"), said), make("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": "Graph of the steps" }, svg)),
    mark,
    begin: () => { for (const shape of shapes.values()) delete shape.dataset.status; said.textContent = "running…"; },
    end: (result) => { said.textContent = result.succeeded ? "this run: ok" : "this run: failed"; },
    recorded: (run) => {
      if (said.textContent !== "not run yet") return;
      for (const [path, status] of Object.entries(run.steps)) if (status) mark(path, status);
      said.textContent = visible(`last run ${run.id}: ${run.state}, ${run.counted}`);
    },
  };
}

// --------------------------------------------------------------------------------------------------------------- call

function drawCall(tool, chart) {
  const form = objectField(resolved(tool.schema, tool.schema), tool.schema, { required: true }, 0);
  const raw = make("textarea", { class: "code whole", rows: 6, "aria-label": "Arguments as JSON", spellcheck: "false", hidden: true });
  const result = make("div", { class: "result", "aria-live": "polite" });
  const toggle = button("JSON", () => setRaw(raw.hidden, form.read()), { class: "small", "aria-pressed": "false" });
  function setRaw(isRaw, text) {
    raw.hidden = !isRaw;
    form.node.hidden = isRaw;
    toggle.setAttribute("aria-pressed", isRaw);
    if (isRaw) raw.value = text;
  }
  let running = null;
  const run = button("Call", () => (running ? running.abort() : call()), { class: "main", title: "Ctrl+Enter" });
  function showFaults(faults) {
    for (const field of form.node.querySelectorAll(".field")) field.querySelector(":scope > .fault").textContent = "";
    return faults.filter(([name, message]) => {
      const first = name.split(/[.[]/)[0];
      const field = [...form.node.children].find((one) => one.dataset.name === name || one.dataset.name === first);
      if (field) field.querySelector(":scope > .fault").textContent += visible(name === field.dataset.name ? `${message} ` : `${name}: ${message} `);
      return !field;
    });
  }
  async function call() {
    running = new AbortController();
    run.textContent = "Stop";
    showFaults([]);
    const said = make("ul", { class: "said" });
    result.replaceChildren(make("p", { class: "quiet" }, "running…"), said);
    chart?.begin();
    const own = new Set();
    try {
      const answer = await fetched("call", JSON.stringify({ tool: tool.name, arguments: raw.hidden ? form.read() : raw.value }), running.signal);
      if (!answer.ok) throw new Error(await answer.text());
      for await (const one of linesOf(answer)) {
        if (one.step !== undefined) chart?.mark(one.step, one.status);
        if (one.message) said.append(make("li", {}, one.message));
        if (one.question) { own.add(one.question.id); questions.ask(one.question); }
        if (one.closed) questions.close(one.closed);
        if (one.result) {
          const rest = showFaults(one.result.faults);
          chart?.end(one.result);
          result.replaceChildren(...drawResult(one.result, rest), said);
        }
      }
    } catch (error) {
      const words = error.name === "AbortError" ? "You stopped the call; it may have taken effect." : `The call was not finished: ${error.message}`;
      result.replaceChildren(make("p", { class: "fault" }, words), said);
    } finally {
      for (const id of own) questions.close(id);
      running = null;
      run.textContent = "Call";
    }
  }
  const examples = tool.examples.map((text, at) => button(tool.examples.length > 1 ? `example ${at + 1}` : "example", () => setRaw(true, text), { class: "small" }));
  const node = make("section", { class: "call", onkeydown: (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !running) { event.preventDefault(); call(); }
  } }, make("div", { class: "bar" }, make("h3", {}, "Call"), make("span", { class: "end" }, ...examples, toggle)),
  form.node.children.length ? form.node : make("p", { class: "quiet" }, "It takes no arguments."), raw, make("div", { class: "row" }, run), result);
  return node;
}

async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.filter(Boolean).map((line) => JSON.parse(line));
  }
}

function drawResult(result, faults) {
  const views = [["Model", result.text], ["Program", result.structured], ["MCP client", result.mcp]].filter(([, text]) => text);
  const text = make("pre", { tabindex: 0 }, views[0]?.[1] ?? "");
  const tabs = views.map(([name, shown]) => button(name, (event) => {
    for (const one of tabs) one.setAttribute("aria-pressed", one === event.currentTarget);
    text.replaceChildren(visible(shown));
  }, { class: "small", "aria-pressed": name === "Model" ? "true" : "false" }));
  const facts = [result.code, result.raised, `${result.seconds} s`].filter(Boolean).join(" · ");
  return [make("div", { class: "bar" }, make("h3", { class: result.succeeded ? "ok" : "error" }, result.succeeded ? "Result" : "Failed"),
    make("span", { class: "quiet" }, facts), make("span", { class: "end", role: "group", "aria-label": "As seen by" }, ...tabs)),
  ...faults.map(([name, message]) => make("p", { class: "fault" }, name ? `${name}: ${message}` : message)), text];
}

// ---------------------------------------------------------------------------------------------------------- questions

const questions = {
  waiting: [],
  ask(question) { this.waiting.push(question); if (this.waiting.length === 1) this.draw(); },
  close(id) {
    const isOpen = this.waiting[0]?.id === id;
    this.waiting = this.waiting.filter((one) => one.id !== id);
    if (!isOpen) return;
    byId("question").close();
    if (this.waiting.length) this.draw();
  },
  async send(question, answer) {
    const said = await fetched(`answer?id=${encodeURIComponent(question.id)}`, JSON.stringify({ id: question.id, call: question.call, ...answer }));
    if (said.status === 204 || said.status === 409) this.close(question.id);
    else byId("question").querySelector(".fault").textContent = visible(await said.text());
  },
  draw() {
    const question = this.waiting[0], dialog = byId("question");
    const body = drawQuestion(question);
    dialog.replaceChildren(body.node);
    dialog.oncancel = (event) => { event.preventDefault(); this.send(question, { decision: "reject", reason: "the question was dismissed" }); };
    dialog.showModal();
    body.node.querySelector("h2").focus();
    setTimeout(() => body.node.querySelectorAll("button.later").forEach((one) => { one.disabled = false; }), SETTLE);
  },
};

function drawQuestion(question) {
  const can = (word) => question.answers.includes(word);
  const send = (answer) => () => questions.send(question, answer());
  const reason = make("input", { type: "text", placeholder: "reason (optional)", "aria-label": "Reason for a rejection", autocomplete: "off" });
  const edit = make("textarea", { class: "code whole", rows: 8, "aria-label": "Arguments as JSON", spellcheck: "false", hidden: true });
  edit.value = question.whole;
  const typed = make("textarea", { rows: 3, "aria-label": "Your answer" });
  const form = question.form ? objectField(resolved(question.form, question.form), question.form, { required: true }, 0) : null;
  const facts = [["asked by", question.asked_by], ["where", question.place], ["from", question.source], ["risk", question.risk.join(" · ")],
    ...Object.entries(question.uses), ["shows", question.show], ["effect", question.preview]].filter(([, text]) => text);
  const rows = [...facts, ...question.shown.map(([name, value, isDefault]) => [`${name}${isDefault ? " (default)" : ""}`, value, true])];
  const buttons = can("answer") ? [button("Send", send(() => ({ decision: "answer", text: typed.value })), { class: "main later", disabled: true })]
    : form ? [button("Send", () => questions.send(question, { decision: "edit", arguments: JSON.parse(form.read()) }), { class: "main later", disabled: true })]
    : [can("approve") ? button("Approve once", send(() => ({ decision: "approve" })), { class: "main later", disabled: true }) : null,
      can("edit") ? button("Edit", (event) => {
        if (edit.hidden) { edit.hidden = false; event.currentTarget.textContent = "Approve edited"; edit.focus(); return; }
        // The arguments are sent as they were typed, so that no digit of a number is lost.
        try { JSON.parse(edit.value); } catch (error) { byId("question").querySelector(".fault").textContent = visible(`This is not JSON: ${error.message}`); return; }
        questions.sendText(question, edit.value);
      }, { class: "later", disabled: true }) : null];
  const node = make("div", {},
    make("h2", { id: "asked", tabindex: -1 }, question.tool && !can("answer") ? `Run ${question.tool}?` : "A question"),
    question.text === `Run ${question.tool}?` ? null : make("p", { class: "description" }, question.text),
    make("dl", {}, ...rows.flatMap(([name, text, isArgument]) => [make("dt", { class: isArgument ? "code" : null }, name), make("dd", { class: isArgument || name === "effect" ? "code" : null }, text)])),
    can("answer") ? typed : null, form?.node ?? null, edit, make("p", { class: "fault", role: "alert" }),
    make("div", { class: "row" }, ...buttons),
    make("div", { class: "row" }, button("Reject", send(() => ({ decision: "reject", reason: reason.value })), { class: "danger" }), reason,
      can("stop") ? button("Stop the run", send(() => ({ decision: "stop", reason: "stopped on the page" }))) : null),
    question.seconds ? make("p", { class: "quiet" }, `Without an answer it is rejected after ${question.seconds} seconds.`) : null);
  return { node };
}
questions.sendText = function (question, text) {
  const head = JSON.stringify({ id: question.id, call: question.call, decision: "edit" });
  return fetched(`answer?id=${encodeURIComponent(question.id)}`, `${head.slice(0, -1)},"arguments":${text}}`).then(async (said) => {
    if (said.status === 204 || said.status === 409) this.close(question.id);
    else byId("question").querySelector(".fault").textContent = visible(await said.text());
  });
};

// -------------------------------------------------------------------------------------------------------------- start

byId("search").addEventListener("input", shownList);
byId("menu").addEventListener("keydown", (event) => {
  const links = [byId("search"), ...byId("list").querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = links.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  links[Math.min(Math.max(at + step, 0), links.length - 1)].focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select, dialog")) { event.preventDefault(); byId("menu").open = true; byId("search").focus(); }
});
addEventListener("hashchange", () => show(true));
if (matchMedia("(max-width: 699px)").matches) byId("menu").open = false;
read("tools").then((answer) => {
  tools = answer.tools;
  byId("target").textContent = visible(answer.targets.join(" "));
  show(false);
  return read("findings").then((found) => { findings = found; }, (error) => { findings = { error: error.message }; });
}).then(() => {
  const others = Array.isArray(findings) ? findings.filter((one) => !ownerOf(one)) : [];
  byId("others").replaceChildren(...(others.length ? [make("h3", {}, "Other findings"), make("ul", { class: "findings" }, ...others.map(drawFinding))] : []));
  show(false);
}).catch((error) => byId("tool").replaceChildren(make("p", { class: "fault" }, error.message)));
