// The page of `longrun serve`: a list of studies, and a page for each. What is shown depends on the part after #.

import { access, connection, get, Problem } from "./client.js";
import { field, form, textInput } from "./forms.js";
import { showStudies } from "./studies.js";
import { showStudy } from "./study.js";
import { named, renewTimes } from "./view.js";

const TIMES_AGE = 10000; // milliseconds, as long as "just now" lasts

const main = document.querySelector("main");
const title = document.getElementById("title");
const about = document.getElementById("about");
const contents = document.getElementById("contents");
const banner = document.getElementById("banner");

let shown = { name: null, close: () => {}, go: () => {} };

/** Returns a part of an address as text; as it is if it is not valid, which is the name of no study. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return part;
  }
}

/** Returns the study, section and number of an address: #/study/NAME/log or #/study/NAME/decision/12. */
function placeOf(hash) {
  const [kind, name, section, number] = hash.replace(/^#\/?/, "").split("/");
  return kind === "study" && name ? { name: decoded(name), section, number } : { name: "" };
}

function setTitle(text, more) {
  title.replaceChildren(named(text));
  about.textContent = more;
  document.title = text === "Studies" ? "longrun" : `${text} – longrun`;
}

function show() {
  const place = placeOf(location.hash);
  if (place.name !== shown.name) {
    shown.close();
    contents.hidden = !place.name;
    contents.replaceChildren();
    if (place.name) {
      setTitle(place.name, "");
      shown = { name: place.name, ...showStudy(main, contents, place.name, setTitle) };
    } else {
      setTitle("Studies", "Arms change with every pull, and outcomes come late. longrun decides what to do next.");
      shown = { name: "", close: showStudies(main), go: () => {} };
    }
    if (!place.section) {
      scrollTo(0, 0);
      title.focus({ preventScroll: true });
    }
  }
  shown.go(place);
}

function showBanner(text, kind) {
  banner.className = kind;
  banner.textContent = text;
  banner.hidden = !text;
}

connection.addEventListener("lost", () =>
  showBanner("The server cannot be reached. What is shown may be old. Trying again …", "lost"),
);
connection.addEventListener("restored", () => {
  showBanner("The connection is back.", "restored");
  setTimeout(() => banner.className === "restored" && showBanner("", ""), 3000);
});

/** Asks for a token until the service accepts one. What was requested waits. */
function askForToken(reason) {
  const token = field("Token", textInput({ type: "password", required: "" }), { pointer: "/token", hint: reason });
  const asked = form({
    label: "Token",
    fields: [token],
    submit: "Use this token",
    act: () => {
      const given = token.control.value.trim();
      if (!/^[!-~]+$/.test(given)) {
        const detail = "token: has a character that no token has; letters, digits and signs of ASCII are accepted";
        throw new Problem(0, { detail, field: "/token" }); // a header cannot have it, so no request could be sent
      }
      node.remove();
      access.token = given;
    },
  });
  const node = element("section", { class: "figure advice", id: "token" }, element("h2", {}, "Token"), asked.node);
  main.before(node);
  token.control.focus();
}

access.addEventListener("wanted", ({ detail }) => askForToken(detail));
addEventListener("hashchange", show);
setInterval(renewTimes, TIMES_AGE);
show();
get("/readyz").then(({ version }) => {
  document.querySelector("footer").textContent = `longrun ${version}. Charts: Chart.js ${Chart.version}.`;
});
