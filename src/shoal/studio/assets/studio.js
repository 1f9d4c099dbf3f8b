// What the pages of the studio need beyond Shiny: messages of tables, the focus kept, and uploads.
(() => {
  "use strict";

  // What is sent from here is no input of Shiny as well: it would send every value, and every file, a second time.
  document.addEventListener("DOMContentLoaded", () => { // Shiny begins after it
    for (const { binding } of Shiny.inputBindings.getBindings()) {
      const find = binding.find;
      binding.find = function (scope) {
        return $(find.call(this, scope)).not("[data-send], [data-upload], [data-filter]");
      };
    }
  });

  // An element with data-send="input" sends its data-about-... and its value to that input of Shiny.
  let count = 0;
  function send(element) {
    const message = { count: ++count };
    for (const [name, value] of Object.entries(element.dataset)) {
      if (name.startsWith("about")) {
        message[name.slice(5).replace(/^./, (first) => first.toLowerCase())] = value;
      }
    }
    if (element.type === "checkbox") {
      message.value = element.checked;
    } else if ("value" in element && element.tagName !== "BUTTON") {
      message.value = element.value;
    }
    Shiny.setInputValue(element.dataset.send, message, { priority: "event" });
  }
  document.addEventListener("change", (event) => {
    if (event.target.dataset && event.target.dataset.send && event.target.tagName !== "BUTTON") send(event.target);
  });
  // With data-live it sends while it is moved or typed in, too; data-mirror names an input that shows the same value,
  // and data-enter a button that the key Enter presses if its data-about-value is what stands in the input.
  const waiting = new WeakSet();
  document.addEventListener("input", (event) => {
    const element = event.target;
    if (!element.dataset) return;
    const other = element.dataset.mirror && document.getElementById(element.dataset.mirror);
    if (other) other.value = element.value;
    if (!element.dataset.send || !("live" in element.dataset)) return;
    if (waiting.has(element)) return;
    waiting.add(element);
    setTimeout(() => {
      waiting.delete(element);
      if (element.isConnected) send(element);
    }, 80);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.dataset || !event.target.dataset.enter) return;
    event.preventDefault();
    const button = document.getElementById(event.target.dataset.enter);
    if (button && button.dataset.aboutValue === event.target.value.trim()) button.click();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-send], a[data-send], [role=button][data-send]");
    if (button) {
      event.preventDefault();
      send(button);
    }
  });
  // A button that is drawn anew while it is pressed gets no click from the browser; it is clicked here.
  let pressed = null;
  const buttonAt = (event) => event.target.closest && event.target.closest("button[id], [role=button][id]");
  document.addEventListener("pointerdown", (event) => { pressed = buttonAt(event); });
  document.addEventListener("pointerup", (event) => {
    const button = buttonAt(event);
    if (pressed && !pressed.isConnected && button && button.id === pressed.id) {
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
    pressed = null;
  });
  // What is drawn as a point of a map is pressed by the keyboard too.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const button = event.target.closest && event.target.closest("[role=button][data-send]");
    if (button && button.tagName !== "BUTTON") {
      event.preventDefault();
      send(button);
    }
  });

  // A link with data-step opens a step of the flow.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-step]");
    const tab = link && document.querySelector(`main .nav-link[data-value="${link.dataset.step}"]`);
    if (tab) {
      event.preventDefault();
      tab.click();
      tab.focus();
      window.scrollTo(0, 0);
    }
  });

  // The browser's Back and Forward go through the steps that were opened, and do not leave the studio for it.
  document.addEventListener("shown.bs.tab", (event) => {
    const step = event.target.dataset && event.target.dataset.value;
    if (!step || !event.target.closest("main") || (history.state && history.state.step === step)) return;
    history[history.state ? "pushState" : "replaceState"]({ step }, "");
  });
  window.addEventListener("popstate", (event) => {
    const step = event.state && event.state.step;
    const tab = step && document.querySelector(`main .nav-link[data-value="${step}"]`);
    if (tab) tab.click();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const tab = document.querySelector("main .nav-link.active[data-value]");
    if (tab) history.replaceState({ step: tab.dataset.value }, "");
  });

  // Where not all steps have room beside each other, the one that is open is scrolled to.
  const showTab = (tab) => tab && tab.scrollIntoView({ block: "nearest", inline: "center" });
  document.addEventListener("shown.bs.tab", (event) => {
    showTab(event.target);
    // Shiny hears only sometimes that a part which was drawn anew with the page around it is in view again, and would
    // leave it grey and out of date; when something is bound, be it nothing, it looks at all of them.
    Shiny.bindAll(document.createElement("div"));
  });
  window.addEventListener("resize", () => showTab(document.querySelector("main .nav-link.active")));
  document.addEventListener("DOMContentLoaded", () => showTab(document.querySelector("main .nav-link.active")));

  // A page that is drawn anew keeps the focus where it was, by the id of the element, what was being written and
  // selected there, and which <details> with an id are open.
  const opened = new Map();
  document.addEventListener("DOMContentLoaded", () => {
    let focused = "";
    let lost = false;
    let written = null; // in the focused field, and not sent yet
    let unsent = null; // the field that was drawn anew while it was being written in
    let selection = null; // in the focused field
    const isField = (element) => element.matches && element.matches("input[data-send]:not([type=checkbox])");
    document.addEventListener("focusin", (event) => {
      if (event.target.id !== focused) written = selection = null;
      focused = event.target.id || "";
      lost = false;
    });
    document.addEventListener("selectionchange", () => {
      const element = document.activeElement;
      if (element && element.id === focused && isField(element)) selection = [element.selectionStart, element.selectionEnd];
    });
    document.addEventListener("input", (event) => { if (isField(event.target)) written = event.target.value; });
    document.addEventListener("change", (event) => { if (isField(event.target)) { written = null; unsent = null; } });
    document.addEventListener("focusout", (event) => {
      if (unsent && event.target === unsent && unsent.isConnected) send(unsent);
      unsent = null;
    });
    document.addEventListener("toggle", (event) => {
      if (event.target.id && event.target.isConnected) opened.set(event.target.id, event.target.open);
    }, true);
    new MutationObserver(() => {
      for (const [id, open] of opened) {
        const details = document.getElementById(id);
        if (details && details.open !== open) details.open = open;
      }
      if (!focused || document.activeElement !== document.body || lost) return;
      const element = document.getElementById(focused);
      if (!element) { lost = true; return; }
      const [text, chosen] = [written, selection];
      element.focus({ preventScroll: true });
      if (text !== null && isField(element)) { element.value = text; unsent = element; written = text; }
      if (chosen && chosen[0] !== null && isField(element)) element.setSelectionRange(...chosen);
    }).observe(document.body, { childList: true, subtree: true });
  });

  // Uploads: the file goes to the studio as it is, and the page hears of it, when it begins (..._begun) and at the end.
  async function upload(input, file) {
    const status = document.getElementById(input.dataset.status);
    const tell = (text, bad) => {
      if (status) { status.textContent = text; status.classList.toggle("text-danger", Boolean(bad)); }
    };
    const request = new XMLHttpRequest();
    request.open("POST", "upload");
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) tell(`Uploading ${file.name}: ${Math.floor((100 * event.loaded) / event.total)} %`);
    };
    request.onerror = () => tell("The upload was broken off: the file may be too large, or the studio was stopped.", true);
    request.onload = () => {
      if (request.status === 200) {
        tell(`Reading ${file.name}`);
        const message = JSON.parse(request.responseText);
        Shiny.setInputValue(input.dataset.upload, { ...message, count: ++count }, { priority: "event" });
      } else {
        tell(request.responseText || `The upload was refused (${request.status}).`, true);
      }
      input.value = "";
    };
    tell(`Uploading ${file.name}`);
    Shiny.setInputValue(`${input.dataset.upload}_begun`, ++count, { priority: "event" });
    request.send(file);
  }
  document.addEventListener("change", (event) => {
    const input = event.target;
    if (input.matches && input.matches("input[type=file][data-upload]") && input.files.length) {
      upload(input, input.files[0]);
    }
  });
  document.addEventListener("dragover", (event) => {
    if (event.target.closest && event.target.closest(".drop")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const place = event.target.closest && event.target.closest(".drop");
    if (!place || !event.dataTransfer.files.length) return;
    event.preventDefault();
    upload(place.querySelector("input[type=file]"), event.dataTransfer.files[0]);
  });

  // A button with data-copy copies the text of the element with that id, or chooses it where copying is not allowed.
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      const before = button.innerHTML;
      button.textContent = "Copied";
      setTimeout(() => { button.innerHTML = before; }, 1500);
    } catch {
      getSelection().selectAllChildren(source);
    }
  });

  // The server has a file for the browser to fetch and save.
  document.addEventListener("DOMContentLoaded", () => {
    Shiny.addCustomMessageHandler("studio-download", (message) => {
      const link = document.createElement("a");
      link.href = message.address;
      link.download = "";
      document.body.append(link);
      link.click();
      link.remove();
    });
  });

  // Fields with data-filter="id" hide rows of the table in that element: a text field those whose data-name does not
  // have its text, a checkbox those that have no element which its data-needs selects. A button with data-shown="id"
  // sends the columns of the rows that are left.
  function filterRows(place) {
    const element = document.getElementById(place);
    if (!element) return;
    const fields = [...document.querySelectorAll("[data-filter]")].filter((one) => one.dataset.filter === place);
    for (const row of element.querySelectorAll("tbody tr")) {
      const named = row.querySelector("[data-name]");
      row.hidden = !fields.every((field) => field.type === "checkbox"
        ? !field.checked || row.querySelector(field.dataset.needs)
        : !named || named.dataset.name.toLowerCase().includes(field.value.trim().toLowerCase()));
    }
  }
  document.addEventListener("input", (event) => {
    if (event.target.dataset && event.target.dataset.filter) filterRows(event.target.dataset.filter);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-shown]");
    if (!button) return;
    const boxes = [...document.querySelectorAll(`#${button.dataset.shown} tbody tr:not([hidden]) input[type=checkbox]`)];
    const value = !boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = value;
    const columns = boxes.map((box) => box.dataset.aboutColumn);
    Shiny.setInputValue(button.dataset.to, { columns, value, count: ++count }, { priority: "event" });
  });

  // A table that is drawn anew stays filtered, and scrolled to where it was.
  const places = new Map();
  document.addEventListener("scroll", (event) => {
    if (event.target.matches && event.target.matches(".scroll")) {
      places.set(event.target.getAttribute("aria-label"), [event.target.scrollLeft, event.target.scrollTop]);
    }
  }, true);
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver((changes) => {
      const added = changes.flatMap((one) => [...one.addedNodes]).filter((one) => one.querySelectorAll);
      const tables = added.flatMap((one) => [...(one.matches(".scroll") ? [one] : []), ...one.querySelectorAll(".scroll")]);
      for (const table of tables) {
        const [left, top] = places.get(table.getAttribute("aria-label")) || [0, 0];
        table.scrollTo({ left, top, behavior: "instant" });
      }
      if (tables.length) {
        for (const field of document.querySelectorAll("[data-filter]")) filterRows(field.dataset.filter);
      }
    }).observe(document.body, { childList: true, subtree: true });
  });

  // The server has some rows of a table anew, by their ids.
  document.addEventListener("DOMContentLoaded", () => {
    Shiny.addCustomMessageHandler("studio-rows", (rows) => {
      for (const [id, html] of Object.entries(rows)) {
        const row = document.getElementById(id);
        if (row) row.outerHTML = html;
      }
      for (const field of document.querySelectorAll("[data-filter]")) filterRows(field.dataset.filter);
    });
  });

  // Ctrl+Z and Ctrl+Shift+Z (or Ctrl+Y) take steps back and forward, unless a text is being written.
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    const element = event.target;
    const writes = element.isContentEditable || element.tagName === "TEXTAREA"
      || (element.tagName === "INPUT" && !["checkbox", "radio", "button", "range", "file"].includes(element.type));
    const button = document.getElementById(key === "y" || event.shiftKey ? "headline-redo_button" : "headline-undo_button");
    if (writes || !button) return;
    event.preventDefault();
    button.click();
  });

  // A lost connection is said in words.
  document.addEventListener("DOMContentLoaded", () => {
    $(document).on("shiny:disconnected", () => {
      const banner = document.getElementById("disconnected");
      if (banner) banner.hidden = false;
    });
    document.addEventListener("click", (event) => {
      if (event.target.closest("#reload")) window.location.reload();
    });
  });

  // The server asks for a part of the page to be folded or unfolded, or for the text of a status line.
  document.addEventListener("DOMContentLoaded", () => {
    Shiny.addCustomMessageHandler("studio-value", (message) => {
      const element = document.getElementById(message.id);
      if (element) element.value = message.value;
    });
    Shiny.addCustomMessageHandler("studio-fold", (message) => {
      const details = document.getElementById(message.id);
      opened.set(message.id, message.open);
      if (details) details.open = message.open;
    });
    Shiny.addCustomMessageHandler("studio-status", (message) => {
      const status = document.getElementById(message.id);
      if (status) { status.textContent = message.text; status.classList.toggle("text-danger", Boolean(message.bad)); }
    });
  });
})();
