// test-timeout: 300
import * as assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "uvu";
import { type PlanPlace, withPlan } from "../../testing/plan/plan.test-support.ts";
import { type Agreement, agreements } from "./agreement.test-support.ts";

/** Whether a start comes to its end, and what it says when not. */
async function tryStart(place: PlanPlace, env: Readonly<Record<string, string>>): Promise<string> {
	try {
		await place.serve(async () => {}, env);
		return "starts";
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

async function agree({ config, is, env = {}, prepare, says = /./ }: Agreement, taken: number): Promise<void> {
	await withPlan(async (place) => {
		await prepare?.(place);
		await place.configure(config.replaceAll("TAKEN", String(taken)).replaceAll("HERE", place.directory));
		const planned = await place.plan(env);
		const texts = planned.problems.map(({ path, message }) => `${path}: ${message}`);
		const started = await tryStart(place, env);
		assert.equal(planned.would_start ? "starts" : "refused", is, `the plan: ${texts.join("\n")}\nthe start: ${started}`);
		assert.equal(started === "starts" ? started : "refused", is, `the start: ${started}`);
		if (is === "starts") return;
		assert.match(texts.join("\n"), says);
		// A start ends at the first thing that is wrong, and these have one.
		assert.match(started, says);
	});
}

for (const [name, agreement] of Object.entries(agreements)) {
	test(`plan and start agree that it ${agreement.is}: ${name}`, async () => {
		const other = createServer().listen(0, "127.0.0.1");
		await new Promise((resolve) => other.once("listening", resolve));
		const address = other.address();
		try {
			await agree(agreement, typeof address === "object" && address !== null ? address.port : 0);
		} finally {
			other.close();
		}
	});
}

test("there are enough of them, right ones and wrong ones", () => {
	const verdicts = Object.values(agreements).map(({ is }) => is);
	assert.ok(verdicts.length >= 40);
	assert.ok(verdicts.filter((is) => is === "starts").length >= 10);
});

test.run();
