// The road from the page to a real model and back: preflight, policy, schema, usage.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage } from "../support/browser.mjs";
import { startModel } from "../support/llm.mjs";
import { serveDist } from "../support/static.mjs";

const LABELS = ["Not at all", "Barely", "Moderately", "Mostly", "Completely"];

test("the page's origin and policy let a call through, and a real model's answer comes back whole", async (t) => {
  const model = await startModel(t);
  const site = await serveDist(t, { base: "/sub/path/" });
  const page = await newPage(t);
  await page.goto(site.url);
  const body = {
    model: model.model,
    temperature: 0,
    max_tokens: 40,
    messages: [
      { role: "system", content: `Say how far the answer covers the point. Answer with one of: ${LABELS.join(", ")}.` },
      { role: "user", content: "Point: names the trial.\nAnswer: The VITAL trial found no difference." },
    ],
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "verdict",
        strict: true,
        schema: { type: "object", properties: { label: { type: "string", enum: LABELS } }, required: ["label"], additionalProperties: false },
      },
    },
  };
  const seen = await page.evaluate(
    async ([url, request]) => {
      const listed = await (await fetch(`${url}/models`)).json();
      // A key makes the request one that is preflighted, as with any hosted provider.
      const headers = { "content-type": "application/json", authorization: "Bearer none" };
      const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, credentials: "omit", body: JSON.stringify(request) });
      return { listed: listed.data.map((entry) => entry.id), status: response.status, answer: await response.json() };
    },
    [model.url, body],
  );
  assert.deepEqual(seen.listed, [model.model]);
  assert.equal(seen.status, 200, JSON.stringify(seen.answer));
  const [choice] = seen.answer.choices;
  assert.equal(choice.finish_reason, "stop");
  assert.ok(LABELS.includes(JSON.parse(choice.message.content).label), choice.message.content);
  const { prompt_tokens: prompt, completion_tokens: completed, total_tokens: total } = seen.answer.usage;
  assert.ok(prompt > 30 && prompt < 200, `prompt tokens: ${prompt}`);
  assert.ok(completed > 2 && completed <= 40, `completion tokens: ${completed}`);
  assert.equal(total, prompt + completed);
  assert.equal(seen.answer.model, model.model);
});
