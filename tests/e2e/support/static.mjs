// The built page on a static host, at its root and in a folder of it.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serve } from "../../../scripts/serve.mjs";
import { atEnd } from "./cleanup.mjs";

export const DIST = fileURLToPath(new URL("../../../dist", import.meta.url));
export const FOLDER = "/sub/path/";

/**
 * Serves `dist` until the test ends. `base` is the folder it stands in; `intercept(path)` may answer in a
 * file's place with `{ status, headers?, body? }`.
 */
export async function serveDist(t, { base = "/", intercept, root = DIST } = {}) {
  if (!existsSync(`${root}/index.html`)) throw new Error(`${root} holds no page: run \`make build\` first`);
  const site = await serve({ root, base, intercept });
  atEnd(t, () => site.close());
  return site;
}
