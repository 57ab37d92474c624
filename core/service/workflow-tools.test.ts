import * as assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../contract/index.ts";
import { openWorkflowTools } from "./workflow-tools.ts";

const config = `const runner = (name, definitions) => ({ kind: "runner", name, create: () => ({ definitions }) });
const definitions = { inspect: async (text, tools) => [{ message: text + typeof tools.expressions.find + typeof tools.findAction }], graph: (text) => ({ nodes: [text], edges: [] }) };
export default { runners: [runner("plain"), runner("workflow", definitions), runner("tried", { ...definitions, test: async (...given) => given.slice(0, 2) })] };`;

async function withConfig(use: (config: string) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-definitions-"));
	try {
		await writeFile(join(directory, "svc.config.mjs"), config);
		await use(join(directory, "svc.config.mjs"));
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

test("a runner of a configuration reads definitions, without actions and without a service", () =>
	withConfig(async (file) => {
		const { inspect, graph } = await openWorkflowTools({ config: file, runner: "workflow" });
		assert.deepEqual(await inspect("a "), [{ message: "a functionundefined" }]);
		assert.deepEqual(graph("a"), { nodes: ["a"], edges: [] });
		assert.deepEqual(await (await openWorkflowTools({ config: file, runner: "tried" })).test("a", "b"), ["a", "b"]);
	}));

test("what cannot be done is said before anything is read", () =>
	withConfig(async (file) => {
		for (const [given, message] of [
			[{ config: file, runner: "none" }, /^--runner: "none" is not one of its runners, in the configuration ".+svc\.config\.mjs"/],
			[{ config: file, runner: "plain" }, /^--runner: "plain" reads no definitions/],
			[{ config: `${file}.gone`, runner: "workflow" }, /does not exist/],
		] as const) {
			await assert.rejects(openWorkflowTools(given), (error) => isSvcError(error, "SVC_CONFIG") && message.test(error.message));
		}
		const { test: tryOut } = await openWorkflowTools({ config: file, runner: "workflow" });
		await assert.rejects(tryOut("a", "b"), (error) => isSvcError(error, "SVC_INVALID"));
	}));

test.run();
