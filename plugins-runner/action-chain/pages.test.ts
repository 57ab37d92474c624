import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import { ChainFiles, chainExpressions, createChainContext, createRunner, tasksOf } from "./chain.test-support.ts";
import { chainDefinitions } from "./index.ts";

const files = new ChainFiles();
test.after(() => files.remove());

/** Chains in a page: the blocks of YAML that hold one. */
function chainsOf(page: string): readonly string[] {
	const text = readFileSync(join(import.meta.dirname, "../../docs", page), "utf8");
	return [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block).filter((block) => /^chain:/m.test(block));
}

test("the chain in the reference unpacks, and tells when it could not", async () => {
	const [chain = ""] = chainsOf("reference/runners/action-chain.md");
	assert.deepEqual(await chainDefinitions.inspect(chain, { expressions: chainExpressions }), []);
	const text = chain.replace("{{ svckv.system.release }}", "7");
	const failing = createChainContext(files.write(text), {
		actionParameters: { host: "web-1" },
		script: { unpack: { status: "failed", result: { stdout: "", stderr: "no such file" } } },
	});
	assert.deepEqual(tasksOf(await createRunner().run(failing)), ["unpack failed", "report succeeded"]);
	assert.deepEqual(
		failing.children.started.map(({ parameters }) => Object.values(parameters ?? {})),
		[["ssh web-1 tar -xf /srv/7.tar"], ["unpacking on web-1 failed: no such file"]],
	);
	const working = createChainContext(files.write(text), {
		actionParameters: { host: "web-1" },
		script: { unpack: { result: { stdout: "site", stderr: "" } } },
	});
	const end = await createRunner().run(working);
	assert.deepEqual(tasksOf(end), ["unpack succeeded", "restart succeeded"]);
	assert.deepEqual(end.result["published"], { unpacked: "site" });
});

test("the chain in the guide measures", async () => {
	const [chain = ""] = chainsOf("guides/migrate-action-chains.md");
	assert.deepEqual(await chainDefinitions.inspect(chain, { expressions: chainExpressions }), []);
	const context = createChainContext(files.write(chain), {
		actionParameters: { limit: 80 },
		script: { measure: { result: { stdout: " 42%", stderr: "" } } },
	});
	assert.deepEqual((await createRunner().run(context)).result["published"], { used: "42%" });
	assert.deepEqual(context.children.started.at(-1)?.parameters, { message: "42% are used, 80 % are allowed" });
});

test.run();
