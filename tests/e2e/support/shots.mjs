// Screenshots for a person to look at: light, dark, and narrow. They go to tests/e2e/shots, which git ignores.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../shots", import.meta.url));
const LOOKS = {
  light: { colorScheme: "light", width: 1280, height: 800 },
  dark: { colorScheme: "dark", width: 1280, height: 800 },
  narrow: { colorScheme: "light", width: 360, height: 740 },
};

/** Takes `name` in each look and gives the files; the page is left as it was found. */
export async function shots(page, name, looks = Object.keys(LOOKS)) {
  mkdirSync(FOLDER, { recursive: true });
  const before = page.viewportSize();
  const files = [];
  for (const look of looks) {
    const { colorScheme, width, height } = LOOKS[look];
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    const path = join(FOLDER, `${name}-${look}.png`);
    await page.screenshot({ path, fullPage: true });
    files.push(path);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return files;
}

/** How far the page is wider than its window, in pixels: more than 0 means it scrolls sideways. */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
