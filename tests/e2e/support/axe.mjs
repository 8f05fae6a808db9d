// Accessibility by axe-core. The page's policy forbids foreign scripts, so it is evaluated, not added.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The rules that the page breaks: one line each, with the first elements concerned. */
export async function violations(page, { include = undefined, disable = [] } = {}) {
  await page.evaluate(source);
  const found = await page.evaluate(
    async ([scope, off]) => {
      const result = await window.axe.run(scope ?? document, {
        resultTypes: ["violations"],
        rules: Object.fromEntries(off.map((rule) => [rule, { enabled: false }])),
      });
      return result.violations.map((rule) => ({
        id: rule.id,
        impact: rule.impact,
        help: rule.help,
        nodes: rule.nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`),
      }));
    },
    [include, disable],
  );
  return found.map(({ id, impact, help, nodes }) => `${id} (${impact}): ${help}\n    ${nodes.slice(0, 5).join("\n    ")}`);
}
