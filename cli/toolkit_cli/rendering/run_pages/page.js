"use strict";
// Everything shown comes from the data block and is inserted as text, never as HTML.
const data = JSON.parse(document.getElementById("data").textContent);
const PATH = 0, TOOL = 1, STATUS = 2, SINCE = 3, TOOK = 4, ARGUMENTS = 5, RESULT = 6;
const ON_A_PAGE = 200;
const RANKS = { failed: 0, timed_out: 0, begun: 2, ok: 3, skipped: 4 };
const byId = (id) => document.getElementById(id);
const counted = (number) => number.toLocaleString("en");

function element(name, className, text, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined && text !== "") made.textContent = text;
  made.append(...children);
  return made;
}

function spokenTime(milliseconds) {
  if (milliseconds === null) return "";
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60000)} min ${Math.round((milliseconds % 60000) / 1000)} s`;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

function pretty(text) {
  // Reformatted only if nothing is lost, such as digits of a number.
  const value = parsed(text);
  if (value === undefined || value === null || typeof value !== "object") return text;
  const bare = (one) => one.replace(/\s+/g, "");
  return bare(JSON.stringify(value)) === bare(text) ? JSON.stringify(value, null, 2) : text;
}

// ------------------------------------------------------------------------------------------------------------ paging

function paged(list, navigation, drawRow) {
  let entries = [], page = 0;
  function draw() {
    const last = Math.max(0, Math.ceil(entries.length / ON_A_PAGE) - 1);
    page = Math.min(Math.max(page, 0), last);
    const first = page * ON_A_PAGE;
    list.replaceChildren(...entries.slice(first, first + ON_A_PAGE).map(drawRow));
    navigation.replaceChildren();
    if (last === 0) return;
    const until = Math.min(first + ON_A_PAGE, entries.length);
    const middle = `${counted(first + 1)} to ${counted(until)} of ${counted(entries.length)}`;
    navigation.append(
      turn("First", 0, page > 0), turn("Previous", page - 1, page > 0), element("span", "quiet", middle),
      turn("Next", page + 1, page < last), turn("Last", last, page < last));
  }
  function turn(name, to, isPossible) {
    const button = element("button", "", name);
    button.type = "button";
    button.disabled = !isPossible;
    button.addEventListener("click", () => { page = to; draw(); });
    return button;
  }
  return (found) => { entries = found; page = 0; draw(); };
}

function unfolding(line, inside) {
  const details = element("details", "", "", line);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(element("div", "inside", "", ...inside()));
  });
  return element("li", "", "", details);
}

const titled = (title, text) => (text ? [element("h3", "", title), element("pre", "", text)] : []);

// ------------------------------------------------------------------------------------------------------------- graph

const spokenCounts = (counts) => Object.entries(counts).map(([name, count]) => `${counted(count)} ${name}`).join(", ");

function stateOf(node) {
  const all = { ...node.turns, ...node.counts };
  return ["failed", "timed_out", "begun", "ok", "skipped"].find((state) => all[state]) || "none";
}

function drawNode(node) {
  const turns = spokenCounts(node.turns);
  const button = element("button", "", "",
    element("strong", "", node.label),
    element("small", "", node.tool === node.label ? "" : node.tool),
    element("span", stateOf(node), spokenCounts(node.counts) || "not started"));
  button.type = "button";
  if (turns) button.append(element("small", "", `for each: ${turns}`));
  if (node.from.length) button.title = `reads ${node.from.join(", ")}`;
  button.addEventListener("click", () => choosePlace(node.path));
  const box = element("div", `node ${stateOf(node)}`, "", button);
  if (node.branches.length) {
    box.append(element("div", "branches", "", ...node.branches.map(([name, inner]) =>
      element("div", "branch", "", element("small", "", name), drawChain(inner)))));
  }
  return box;
}

const drawChain = (nodes) => element("div", "chain", "", ...nodes.map(drawNode));

// ---------------------------------------------------------------------------------------------------------- timeline

const filters = { place: null };
const showRows = paged(byId("rows"), byId("rows-pages"), drawRow);
let haystacks = null;

function saidByModel(reply) {
  if (!Array.isArray(reply.calls)) return "";
  const wanted = reply.calls.map((call) => call.name).join(", ");
  return [reply.text, wanted && `calls ${wanted}`].filter(Boolean).join(" · ");
}

function drawRow(row) {
  const result = parsed(row[RESULT]);
  const said = (result && (result.error || result.output || saidByModel(result))) || row[RESULT] || row[ARGUMENTS];
  const bar = element("span", `bar ${row[STATUS]}`);
  bar.style.left = `${Math.min(99, (100 * (row[SINCE] || 0)) / data.span)}%`;
  bar.style.width = `${(100 * (row[TOOK] || 0)) / data.span}%`;
  const line = element("summary", "", "",
    element("span", row[STATUS], row[STATUS]),
    element("span", "path", /(^|\/)turn-\d+\.\d+$/.test(row[PATH]) ? `${row[PATH]} ${row[TOOL]}` : row[PATH]),
    element("span", "said quiet", String(said).slice(0, 200)),
    element("span", "track", "", bar),
    element("span", "took", spokenTime(row[TOOK])));
  return unfolding(line, () => [
    ...titled("Tool", row[TOOL]),
    ...titled("Arguments", pretty(row[ARGUMENTS])),
    ...titled("Result", pretty(row[RESULT]) || (row[STATUS] === "begun" ? "It started but did not finish." : "")),
  ]);
}

const withinItem = (path) => (data.is_batch ? path.split("/").slice(1).join("/") : path);
const placeOf = (path) => withinItem(path).replace(/\[\d+\]/g, "")
  .replace(/(^|\/)turn-\d+\.\d+(?=\/|$)/g, "$1calls").replace(/(^|\/)turn-\d+$/, "$1turns");

function choosePlace(path) {
  filters.place = filters.place === path ? null : path;
  const button = byId("place");
  button.hidden = filters.place === null;
  button.textContent = `only ${filters.place || "items"} ✕`;
  find();
}

function isFound(row, index, words) {
  const status = byId("status").value;
  if (status && row[STATUS] !== status) return false;
  if (filters.place !== null && placeOf(row[PATH]) !== filters.place) return false;
  return words.every((word) => haystacks[index].includes(word));
}

function compareRows(order) {
  const time = (one, other) => one[SINCE] - other[SINCE];
  if (order === "slow") return (one, other) => (other[TOOK] || 0) - (one[TOOK] || 0);
  if (order === "time") return time;
  const rank = (row) => RANKS[row[STATUS]] ?? 1;
  return (one, other) => rank(one) - rank(other) || time(one, other);
}

function find() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length && haystacks === null) haystacks = data.rows.map((row) => row.join("\n").toLowerCase());
  const found = data.rows.filter((row, index) => isFound(row, index, words));
  found.sort(compareRows(byId("order").value));
  const cut = `long texts are shortened to ${counted(data.cut_after)} characters`;
  const missing = data.left_out ? `; ${counted(data.left_out)} more are not on this page` : "";
  byId("found").textContent = `${counted(found.length)} of ${counted(data.rows.length)}${missing}; ${cut}`;
  showRows(found);
}

function offerStatuses() {
  const counts = {};
  for (const row of data.rows) counts[row[STATUS]] = (counts[row[STATUS]] || 0) + 1;
  const offers = [["", "every status"], ...Object.entries(counts).map(([name, count]) => [name, `${name} (${counted(count)})`])];
  for (const [value, text] of offers) {
    const option = element("option", "", text);
    option.value = value;
    byId("status").append(option);
  }
}

// --------------------------------------------------------------------------------------------------------- questions

function drawQuestion(question) {
  const line = element("summary", "", "",
    element("span", question.what, question.what),
    element("span", "path", question.tool),
    element("span", "said", question.reason || question.rule || question.place || ""),
    element("span", "", question.by || ""),
    element("span", "took", (question.time || "").slice(11, 19)));
  return unfolding(line, () => [
    ...titled("When", question.time), ...titled("Where", question.place), ...titled("By", question.by),
    ...titled("Rule", question.rule), ...titled("Text", question.reason),
    ...titled("Arguments", pretty(question.arguments || "")), ...titled("Edit", pretty(question.edit || "")),
  ]);
}

// -------------------------------------------------------------------------------------------------------------- start

if (data.graph.length) {
  byId("graph-section").hidden = false;
  byId("graph").append(drawChain(data.graph));
}
if (data.questions.length) {
  byId("questions-section").hidden = false;
  paged(byId("questions"), byId("questions-pages"), drawQuestion)(data.questions);
}
offerStatuses();
let waiting;
byId("search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(find, 150); });
byId("status").addEventListener("change", find);
byId("order").addEventListener("change", find);
byId("place").addEventListener("click", () => choosePlace(filters.place));
byId("filters").addEventListener("submit", (event) => event.preventDefault());
find();
