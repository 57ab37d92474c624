import * as assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import type { JsonObject } from "../../core/contract/index.ts";
import { startEngine } from "../../core/testing/engine/engine.test-support.ts";
import { localCommand } from "../local-command/index.ts";
import { workflow } from "../workflow/index.ts";
import { actionChain } from "./index.ts";

const packs = realpathSync(mkdtempSync(join(tmpdir(), "svc guide ")));
test.after(() => rmSync(packs, { recursive: true }));

const page = readFileSync(join(import.meta.dirname, "../../docs/guides/migrate-action-chains.md"), "utf8");
const [chainAction = "", chain = "", workflowAction = "", workflowText = ""] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
	([, block = ""]) => block,
);

function write(path: string, text: string): void {
	const file = join(packs, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

test("the chain and the workflow of the guide come to the same", async () => {
	for (const [pack, action, path, text] of [
		["before", chainAction, "chains", chain],
		["after", workflowAction, "workflows", workflowText],
	] as const) {
		write(`${pack}/pack.yaml`, `name: ${pack}\nref: ${pack}\nversion: 1.0.0\ndescription: d\nauthor: a\nemail: a@example.com\n`);
		write(`${pack}/actions/measure.yaml`, action);
		write(`${pack}/actions/${path}/measure.yaml`, text);
	}
	const { submit, settled, storage, stop } = await startEngine({
		runners: [actionChain(), workflow(), localCommand()],
		options: { packs: [packs] },
	});
	try {
		const measure = async (pack: string) => {
			const { id } = await submit({ limit: 70 }, { action: `${pack}.measure` });
			const { status, result } = await settled(id);
			const children = await storage.find("execution", { where: { parent_id: id }, orderBy: [["start_timestamp", "asc"]] });
			return { status, result, said: children.map((child) => [child.action_ref, child.result?.["stdout"]]) };
		};
		const [before, after] = [await measure("before"), await measure("after")];
		assert.equal(before.status, "succeeded", JSON.stringify(before.result));
		assert.equal(after.status, "succeeded", JSON.stringify(after.result));
		assert.match(String(before.said[1]?.[1]), /^\d+% are used, 70 % are allowed$/);
		assert.deepEqual(after.said, before.said);
		assert.deepEqual(after.result?.["output"], before.result?.["published"]);
		assert.match(String((after.result?.["output"] as JsonObject | undefined)?.["used"]), /^\d+%$/);
	} finally {
		await stop();
	}
});

test.run();
