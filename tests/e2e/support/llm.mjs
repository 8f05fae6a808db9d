// A small real language model for a test: scripts/llm-server.py, which scripts/llm-setup.sh installs.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atEnd } from "./cleanup.mjs";

const script = (name) => fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url));

/** The name under which the server lists its model. */
export const MODEL = "smollm2-135m-instruct";

/** Starts the model and gives `{ url, model, log }` once it answers; it ends with the test. */
export async function startModel(t, { context = 8192, slots = 2, seconds = 120 } = {}) {
  const installed = spawnSync("bash", [script("llm-setup.sh")], { encoding: "utf8" });
  if (installed.status !== 0) throw new Error(`llm-setup.sh failed:\n${installed.stdout}${installed.stderr}`);
  const folder = join(process.env.VIVA_TOOLS || join(homedir(), ".cache/viva-tools"), "llm");
  const server = spawn(
    join(folder, "venv/bin/python"),
    [script("llm-server.py"), "--wheels", join(folder, "wheels"), "--context", String(context), "--slots", String(slots)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const log = [];
  const ended = new Promise((done) => server.once("exit", (code, signal) => done(code ?? signal)));
  atEnd(t, async () => {
    // llama.cpp takes seconds to tidy up, and nothing here needs it to.
    server.kill("SIGKILL");
    await ended;
  });
  createInterface({ input: server.stderr }).on("line", (line) => log.push(line));
  const ready = new Promise((done) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      log.push(line);
      if (line.startsWith("ready ")) done(line.slice("ready ".length).trim());
    });
  });
  let timer;
  const late = new Promise((done) => (timer = setTimeout(done, seconds * 1000)));
  const address = await Promise.race([ready, ended.then(() => null), late.then(() => null)]);
  clearTimeout(timer);
  if (!address) throw new Error(`the model did not start within ${seconds} s:\n${log.slice(-20).join("\n")}`);
  return { url: `${address}/v1`, model: MODEL, log };
}
